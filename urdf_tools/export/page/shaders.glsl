// What the graphics card runs (GLSL ES 3.00), each part below its name.
//// shape vertex
layout(location=0) in vec3 position;
layout(location=1) in vec4 row0;
layout(location=2) in vec4 row1;
layout(location=3) in vec4 row2;
layout(location=4) in vec4 tint;
layout(location=5) in float number;
layout(location=6) in vec3 normal; // zero where the triangles are flat
uniform mat4 clip;
uniform vec4 shadow; // the direction of the light, and the height of the floor
uniform int mode;
out vec3 place;
out vec3 bent;
flat out vec4 color;
flat out float id;
void main() {
  vec4 p = vec4(position, 1.);
  place = vec3(dot(row0, p), dot(row1, p), dot(row2, p));
  // Normals go with the inverse transpose, and the matrix is a rotation times a scaling.
  vec3 n = normal / (row0.xyz * row0.xyz + row1.xyz * row1.xyz + row2.xyz * row2.xyz);
  bent = vec3(dot(row0.xyz, n), dot(row1.xyz, n), dot(row2.xyz, n));
  if (mode == 3) place = vec3(place.xy - shadow.xy / shadow.z * (place.z - shadow.w), shadow.w);
  color = tint;
  id = number;
  gl_Position = clip * vec4(place, 1.);
}

//// shape fragment
in vec3 place;
in vec3 bent;
flat in vec4 color;
flat in float id;
uniform vec3 eye;
uniform int mode; // 0: lit, 1: id as color, 2: distance from the eye as the bits of its float, 3: shadow
out vec4 seen;
vec4 bytes(uint bits) { return vec4(bits & 255u, bits >> 8 & 255u, bits >> 16 & 255u, bits >> 24) / 255.; }
void main() {
  if (mode == 1) { seen = bytes(uint(id + .5)); return; }
  if (mode == 2) { seen = bytes(floatBitsToUint(distance(eye, place))); return; }
  if (mode == 3) { seen = vec4(0., 0., 0., .13); return; }
  vec3 to_eye = normalize(eye - place);
  vec3 n = dot(bent, bent) > 0. ? normalize(bent) : normalize(cross(dFdx(place), dFdy(place)));
  if (dot(n, to_eye) < 0.) n = -n; // whichever way the triangle was wound
  vec3 light = normalize(vec3(.5, -.4, 1.) + .55 * to_eye);
  float facing = max(dot(n, light), 0.), sky = .5 + .5 * n.z, rim = pow(1. - max(dot(n, to_eye), 0.), 3.);
  float shine = pow(max(dot(n, normalize(light + to_eye)), 0.), 48.);
  vec3 c = pow(color.rgb, vec3(2.2));
  c = c * (mix(vec3(.17, .16, .16), vec3(.44, .47, .52), sky) + facing * vec3(.66, .64, .61)) + .07 * rim + .14 * shine;
  seen = vec4(pow(.88 * c, vec3(1. / 2.2)), 1.) * color.a;
}

//// grid vertex
uniform mat4 clip;
uniform vec4 floor_; // center, height, half an edge
out vec2 spot;
void main() {
  spot = vec2(gl_VertexID == 1 || gl_VertexID == 2 || gl_VertexID == 4 ? 1. : -1.,
              gl_VertexID == 2 || gl_VertexID > 3 ? 1. : -1.) * floor_.w + floor_.xy;
  gl_Position = clip * vec4(spot, floor_.z, 1.);
}

//// grid fragment
in vec2 spot;
uniform vec4 floor_;
uniform float cell, ink;
out vec4 seen;
float lines(float edge) {
  vec2 at = spot / edge, wide = fwidth(at), off = abs(fract(at - .5) - .5) / wide;
  return (1. - min(min(off.x, off.y), 1.)) * clamp(.6 / max(wide.x, wide.y), 0., 1.);
}
void main() {
  float fade = clamp(1. - distance(spot, floor_.xy) / floor_.w, 0., 1.);
  float a = max(lines(cell) * .16, lines(cell * 10.) * .38) * fade;
  seen = vec4(vec3(ink * a), a);
}
