// What libsdformat resolves of SDFs: links, joints and frames in the frame of the outermost model, one a line, its words
// and numbers separated by tabs. A model inside a model is a frame there.
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

struct Scope {
  std::string prefix;
  Pose T;  // of the model in the outermost one
  std::string name(const std::string &name) const { return name == "world" ? name : prefix + name; }
};

static void link(const sdf::Link &link, const Scope &scope) {
  const Pose pose = scope.T * inModel(link.SemanticPose());
  const auto inertial = link.Inertial();
  const auto tensor = inertial.MassMatrix().Moi();
  std::cout << "link\t" << scope.name(link.Name());
  print(pose);
  std::cout << '\t' << inertial.MassMatrix().Mass();
  print(inertial.Pose().Pos());
  const auto turn = inertial.Pose().Rot();
  for (const Vector &axis : {Vector(1, 0, 0), Vector(0, 1, 0), Vector(0, 0, 1)})
    print(turn * (tensor * (turn.Inverse() * axis)));
  std::cout << '\n';
}

static void joint(const sdf::Joint &joint, const Scope &scope) {
  const Pose pose = scope.T * inModel(joint.SemanticPose());
  std::string parent, child;
  report(joint.ResolveParentLink(parent));
  report(joint.ResolveChildLink(child));
  std::cout << "joint\t" << scope.name(joint.Name()) << '\t' << scope.name(parent) << '\t' << scope.name(child) << '\t'
            << static_cast<int>(joint.Type());
  print(pose);
  const auto axis = joint.Axis();
  if (joint.Type() != sdf::JointType::FIXED && axis) {
    Vector direction;
    report(axis->ResolveXyz(direction, "__model__"));
    print(scope.T.Rot() * direction);
    for (double value : {axis->Lower(), axis->Upper(), axis->Effort(), axis->MaxVelocity(), axis->Damping(),
                         axis->Friction(), axis->SpringStiffness(), axis->SpringReference()})
      std::cout << '\t' << value;
  }
  std::cout << '\n';
}

static void model(const sdf::Model &model, const Scope &scope) {
  for (uint64_t k = 0; k < model.LinkCount(); k++) link(*model.LinkByIndex(k), scope);
  for (uint64_t k = 0; k < model.JointCount(); k++) joint(*model.JointByIndex(k), scope);
  for (uint64_t k = 0; k < model.FrameCount(); k++) {
    const auto *frame = model.FrameByIndex(k);
    std::string body;
    report(frame->ResolveAttachedToBody(body));
    std::cout << "frame\t" << scope.name(frame->Name()) << '\t' << scope.name(body);
    print(scope.T * inModel(frame->SemanticPose()));
    std::cout << '\n';
  }
  for (uint64_t k = 0; k < model.ModelCount(); k++) {
    const auto *inside = model.ModelByIndex(k);
    const Scope inner{scope.prefix + inside->Name() + "::", scope.T * inModel(inside->SemanticPose())};
    std::cout << "frame\t" << scope.name(inside->Name()) << '\t'
              << inner.prefix << inside->CanonicalLinkAndRelativeName().second;
    print(inner.T);
    std::cout << '\n';
    ::model(*inside, inner);
  }
}

int main() {
  sdf::Console::Instance()->SetQuiet(true);
  std::cout.precision(17);
  std::cerr.setstate(std::ios::failbit);
  for (std::string path; std::getline(std::cin, path);) {
    std::cout << "file " << path << '\n';
    sdf::Root root;
    report(root.Load(path));
    const auto *outermost = root.Model();
    if (outermost) model(*outermost, {"", Pose::Zero});
  }
}
