// What libsdformat and its urdfdom say of files, whose names come from standard input: errors, and what they print.
#include <iostream>
#include <sdf/sdf.hh>

int main() {
  std::cerr.rdbuf(std::cout.rdbuf());
  for (std::string file; std::getline(std::cin, file);) {
    std::cout << "file " << file << std::endl;
    sdf::Root root;
    for (const auto &error : root.Load(file))
      std::cout << "Error Code " << static_cast<int>(error.Code()) << ": Msg: " << error.Message() << std::endl;
  }
}
