// ---- contacts: poses in which two links of the result touch; `state.contact` is the one that is shown, or -1

const PAIR = [[.98, .50, .05, 1], [.02, .58, .70, 1]], POINT = [.90, .05, .30, 1];

const contactsOf = () => data.contacts || [];
const buttonOf = number => find(`[data-contact="${number}"]`);
// Which of the two links a thing belongs to: 0, 1, or -1.
const partOf = id => contactsOf()[state.contact].links.indexOf(data.old.links[id].to);

function showContact(number) {
  if (playing) play();
  select(-1);
  state.free = new Map([...data.home, ...data.contacts[number].positions]);
  state.contact = number;
  moved();
  if (state.fitted && gl) fit();
  find("#touching").open = true;
  buttonOf(number).scrollIntoView({ block: "nearest" });
  find("#stage").scrollIntoView({ block: "nearest" }); // which a phone has far above the list
}

function readContact(text) {
  state.contact = text !== null && data.contacts[+text] ? +text : -1;
  for (const [joint, at] of state.contact < 0 ? [] : data.contacts[state.contact].positions) state.free.set(joint, at);
}

// The pair is shown until one of the joints between is moved: what is said of it holds wherever the others are.
function markContact() {
  const contact = contactsOf()[state.contact];
  if (contact && !contact.positions.every(([joint, at]) => now.q_new[joint] === at)) state.contact = -1;
  for (const row of all("#touching [aria-current]")) row.removeAttribute("aria-current");
  for (const group of all("#step")) group.hidden = state.contact < 0;
  if (state.contact < 0) return "";
  find("#step span").textContent = `Contact ${state.contact + 1} of ${data.contacts.length}`;
  buttonOf(state.contact).setAttribute("aria-current", "true");
  return contact.links.map(link => `'${data.new.links[link].name}'`).join(" and ") + " touch";
}

function contactLegend() {
  return state.contact < 0 ? null : data.contacts[state.contact].links.map((link, k) => [data.new.links[link].name, PAIR[k]]);
}

// The collisions of both links, the point where they touch, and all else pale.
function contactLists(side, { solid, ghost, clear }) {
  const [middle, ...point] = data.contacts[state.contact].point, long = .022 * bounds.size, faint = isDark() ? .3 : .16;
  const of = item => partOf(item[4] - 1);
  const pale = item => [...item.slice(0, 3), [...(of(item) < 0 ? item[3] : PAIR[of(item)]).slice(0, 3), faint], item[4]];
  const bodies = side.robot.links.flatMap((link, k) => link.shapes.flatMap(shape => {
    const id = shape.of === undefined ? side.of(k) : shape.of, part = partOf(id), T = side.poses()[k];
    return shape.collision && part >= 0 ? [[shape.shape, compose(T, shape.T), shape.size, PAIR[part], id + 1]] : [];
  }));
  const spot = ["ball", [1, 0, 0, 0, 1, 0, 0, 0, 1, ...move(now.T_new[middle], point)], [long, long, long], POINT, 0];
  return { solid: bodies, ghost: [...solid, ...ghost].map(pale), clear: clear.filter(item => of(item) < 0), top: [spot] };
}

function listenToContacts() {
  const step = by => () => showContact(state.contact < 0 ? by < 0 ? data.contacts.length - 1 : 0
    : (state.contact + by + data.contacts.length) % data.contacts.length);
  for (const button of all("[data-contact]")) button.addEventListener("click", () => showContact(+button.dataset.contact));
  if (data.contacts.length) Object.assign(KEYS, { n: step(1), p: step(-1) });
  for (const button of all("#step button")) button.addEventListener("click", step(+button.dataset.step));
  KEYS.Escape = () => { state.contact = -1; select(-1); moved(); };
}
