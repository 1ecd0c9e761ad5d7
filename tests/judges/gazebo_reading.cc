// What Gazebo reads of URDFs: libsdformat makes SDF of each file that is named, and this prints all that it says, in
// the frame of the model, one thing a line: its kind, then words and numbers. Frames of links do not show in it, so a
// robot whose links turn and merge without another meaning prints the same lines, in another order.
#include <algorithm>
#include <iostream>
#include <set>
#include <sdf/sdf.hh>
#include <sstream>

using Pose = std::decay_t<decltype(std::declval<sdf::Link>().RawPose())>;
using Vector = std::decay_t<decltype(std::declval<Pose>().Pos())>;

static std::ostream &print(const Vector &v) { return std::cout << ' ' << v.X() << ' ' << v.Y() << ' ' << v.Z(); }

static void print(const Pose &pose) {
  print(pose.Pos());
  for (const Vector &axis : {Vector(1, 0, 0), Vector(0, 1, 0), Vector(0, 0, 1)}) print(pose.Rot() * axis);
}

// A number or a word of a truth value, however it is written.
static std::string plain(const std::string &said) {
  if (said == "true" || said == "false") return said == "true" ? "1" : "0";
  std::istringstream words(said);
  std::ostringstream text;
  text.precision(12);
  double number;
  if (words >> number && (words >> std::ws).eof()) text << number; else return said;
  return text.str();
}

struct Reading {
  const sdf::Model &model;

  Pose inModel(const sdf::SemanticPose &semantic) const {
    Pose pose;
    for (const auto &error : semantic.Resolve(pose, "__model__")) std::cout << "error " << error.Message() << '\n';
    return pose;
  }

  // The pose of what is in a link or joint, whose own pose is known.
  Pose inside(const Pose &owner, const std::string &name, const sdf::SemanticPose &semantic) const {
    Pose pose;
    for (const auto &error : semantic.Resolve(pose, name)) std::cout << "error " << error.Message() << '\n';
    return owner * pose;
  }

  Pose frame(const std::string &name) const {
    if (auto link = model.LinkByName(name)) return inModel(link->SemanticPose());
    if (auto joint = model.JointByName(name)) return inModel(joint->SemanticPose());
    if (auto found = model.FrameByName(name)) return inModel(found->SemanticPose());
    return Pose();
  }

  // All values below an element that are no defaults, sorted by their paths.
  void leaves(sdf::ElementPtr top, const std::string &path, const Pose &pose, std::multiset<std::string> &found) const {
    std::set<std::string> once;
    for (auto part = top->GetFirstElement(); part; part = part->GetNextElement()) {
      const std::string name = part->GetName();
      if (name == "pose" || name == "plugin" || name == "sensor" || name == "visual" || name == "light") continue;
      if (path.empty() && (name == "collision" || name == "inertial")) continue;
      if (!once.insert(name).second && name != "collision") continue;  // the first counts
      std::ostringstream text;
      text.precision(12);
      if (name == "fdir1") {
        const Vector told = part->Get<Vector>();
        Pose given = pose;
        for (const char *key : {"gz:expressed_in", "ignition:expressed_in"})
          if (part->HasAttribute(key)) given = frame(part->Get<std::string>(key));
        if (told == Vector(0, 0, 0)) continue;
        const Vector v = given.Rot() * told;
        text << v.X() << ' ' << v.Y() << ' ' << v.Z();
      } else if (name == "collision") {  // of a contact sensor
        for (uint64_t k = 0; k < model.LinkCount(); k++) {
          auto link = model.LinkByIndex(k);
          if (auto shape = link->CollisionByName(part->Get<std::string>())) {
            const Vector v = inside(inModel(link->SemanticPose()), link->Name(), shape->SemanticPose()).Pos();
            text << v.X() << ' ' << v.Y() << ' ' << v.Z();
          }
        }
      } else if (auto value = part->GetValue()) {
        auto unsaid = value->Clone();
        unsaid->Reset();
        const std::string said = plain(value->GetAsString());
        if (said != plain(unsaid->GetAsString())) text << said;
      }
      if (!text.str().empty()) found.insert(path + name + ' ' + text.str());
      leaves(part, path + name + '/', pose, found);
    }
  }

  void rest(sdf::ElementPtr top, const Pose &pose) const {
    std::multiset<std::string> found;
    leaves(top, "", pose, found);
    for (const auto &leaf : found) std::cout << ' ' << leaf;
    std::cout << '\n';
  }

  template <typename Thing> void placed(const char *kind, const Pose &owner, const std::string &name, const Thing &thing,
                                        bool named) const {
    const Pose pose = inside(owner, name, thing.SemanticPose());
    std::cout << kind << ' ' << (named ? thing.Name() : "-");
    print(pose);
    rest(thing.Element(), pose);
  }

  void link(const sdf::Link &link) const {
    const Pose pose = inModel(link.SemanticPose());
    const auto inertial = link.Inertial();
    const auto turn = pose.Rot() * inertial.Pose().Rot();
    const auto moments = inertial.MassMatrix();
    const Vector x = turn.Inverse() * Vector(1, 0, 0), y = turn.Inverse() * Vector(0, 1, 0),
                 z = turn.Inverse() * Vector(0, 0, 1);
    const auto tensor = moments.Moi();
    std::cout << "body " << moments.Mass();
    print((pose * inertial.Pose()).Pos());
    for (const auto &one : {x, y, z}) print(Vector((tensor * one).Dot(x), (tensor * one).Dot(y), (tensor * one).Dot(z)));
    rest(link.Element(), pose);
    for (uint64_t k = 0; k < link.CollisionCount(); k++)
      placed("collision", pose, link.Name(), *link.CollisionByIndex(k), false);
    for (uint64_t k = 0; k < link.VisualCount(); k++) placed("visual", pose, link.Name(), *link.VisualByIndex(k), false);
    for (uint64_t k = 0; k < link.SensorCount(); k++) placed("sensor", pose, link.Name(), *link.SensorByIndex(k), true);
    for (uint64_t k = 0; k < link.LightCount(); k++) placed("light", pose, link.Name(), *link.LightByIndex(k), true);
  }

  // An axis counts with what it multiplies, so that the sense in which it is told does not show.
  void joint(const sdf::Joint &joint) const {
    const Pose pose = inModel(joint.SemanticPose());
    std::cout << "frame " << joint.Name();
    print(pose);
    std::cout << '\n';
    for (uint64_t k = 0; k < joint.SensorCount(); k++)
      placed("sensor", pose, joint.Name(), *joint.SensorByIndex(k), true);
    auto axis = joint.Axis();
    if (joint.Type() == sdf::JointType::FIXED || !axis) return;
    Vector direction;
    for (const auto &error : axis->ResolveXyz(direction, "__model__")) std::cout << "error " << error.Message() << '\n';
    const auto element = joint.Element();
    std::cout << "joint " << joint.Name() << ' ' << static_cast<int>(joint.Type()) << ' ' << axis->Damping() << ' '
              << axis->Friction() << ' ' << axis->SpringStiffness() << ' ' << axis->Effort();
    print(pose.Pos());
    print(axis->SpringReference() * direction);
    if (element->HasElement("physics")) rest(element->GetElement("physics"), pose); else std::cout << '\n';
    for (double limit : {axis->Lower(), axis->Upper()}) {
      std::cout << "limit " << joint.Name();
      print(limit * direction) << '\n';
    }
  }
};

int main() {
  sdf::Console::Instance()->SetQuiet(true);
  std::cout.precision(12);
  std::cerr.setstate(std::ios::failbit);
  sdf::SDFPtr empty(new sdf::SDF());
  sdf::init(empty);
  for (std::string path; std::getline(std::cin, path);) {
    sdf::SDFPtr read(new sdf::SDF());
    read->Root(empty->Root()->Clone());
    sdf::Root root;
    std::cout << "file " << path << '\n';
    sdf::Errors errors;
    sdf::readFile(path, sdf::ParserConfig::GlobalConfig(), read, errors);
    for (const auto &some : {errors, root.Load(read)})
      for (const auto &error : some) std::cout << "error " << error.Message() << '\n';
    const auto *model = root.Model();
    if (!model) continue;
    const Reading reading{*model};
    for (uint64_t k = 0; k < model->LinkCount(); k++) reading.link(*model->LinkByIndex(k));
    for (uint64_t k = 0; k < model->JointCount(); k++) reading.joint(*model->JointByIndex(k));
    for (uint64_t k = 0; k < model->FrameCount(); k++) {
      const auto pose = reading.inModel(model->FrameByIndex(k)->SemanticPose());
      std::cout << "frame " << model->FrameByIndex(k)->Name();
      print(pose);
      std::cout << '\n';
    }
  }
}
