// What libsdformat resolves of SDFs: links, joints and frames in the frame of the model, one a line, its words and
// numbers separated by tabs.
#include <iostream>
#include <sdf/sdf.hh>

using Pose = std::decay_t<decltype(std::declval<sdf::Link>().RawPose())>;
using Vector = std::decay_t<decltype(std::declval<Pose>().Pos())>;

static void print(const Vector &v) { std::cout << '\t' << v.X() << '\t' << v.Y() << '\t' << v.Z(); }

static void print(const Pose &pose) {
  print(pose.Pos());
  for (const Vector &axis : {Vector(1, 0, 0), Vector(0, 1, 0), Vector(0, 0, 1)}) print(pose.Rot() * axis);
}

static void report(const sdf::Errors &errors) {
  for (const auto &error : errors) std::cout << "error\t" << error.Message() << '\n';
}

static Pose inModel(const sdf::SemanticPose &semantic) {
  Pose pose;
  report(semantic.Resolve(pose, "__model__"));
  return pose;
}

static void link(const sdf::Link &link) {
  const Pose pose = inModel(link.SemanticPose());
  const auto inertial = link.Inertial();
  const auto tensor = inertial.MassMatrix().Moi();
  std::cout << "link\t" << link.Name();
  print(pose);
  std::cout << '\t' << inertial.MassMatrix().Mass();
  print(inertial.Pose().Pos());
  const auto turn = inertial.Pose().Rot();
  for (const Vector &axis : {Vector(1, 0, 0), Vector(0, 1, 0), Vector(0, 0, 1)})
    print(turn * (tensor * (turn.Inverse() * axis)));
  std::cout << '\n';
}

static void joint(const sdf::Joint &joint) {
  const Pose pose = inModel(joint.SemanticPose());
  std::string parent, child;
  report(joint.ResolveParentLink(parent));
  report(joint.ResolveChildLink(child));
  std::cout << "joint\t" << joint.Name() << '\t' << parent << '\t' << child << '\t' << static_cast<int>(joint.Type());
  print(pose);
  const auto axis = joint.Axis();
  if (joint.Type() != sdf::JointType::FIXED && axis) {
    Vector direction;
    report(axis->ResolveXyz(direction, "__model__"));
    print(direction);
    for (double value : {axis->Lower(), axis->Upper(), axis->Effort(), axis->MaxVelocity(), axis->Damping(),
                         axis->Friction(), axis->SpringStiffness(), axis->SpringReference()})
      std::cout << '\t' << value;
  }
  std::cout << '\n';
}

int main() {
  sdf::Console::Instance()->SetQuiet(true);
  std::cout.precision(17);
  std::cerr.setstate(std::ios::failbit);
  for (std::string path; std::getline(std::cin, path);) {
    std::cout << "file " << path << '\n';
    sdf::Root root;
    report(root.Load(path));
    const auto *model = root.Model();
    if (!model) continue;
    for (uint64_t k = 0; k < model->LinkCount(); k++) link(*model->LinkByIndex(k));
    for (uint64_t k = 0; k < model->JointCount(); k++) joint(*model->JointByIndex(k));
    for (uint64_t k = 0; k < model->FrameCount(); k++) {
      const auto *frame = model->FrameByIndex(k);
      std::string body;
      report(frame->ResolveAttachedToBody(body));
      std::cout << "frame\t" << frame->Name() << '\t' << body;
      print(inModel(frame->SemanticPose()));
      std::cout << '\n';
    }
  }
}
