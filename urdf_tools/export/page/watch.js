// Loads the page again when its server has drawn another; the address keeps camera, positions and what is shown.
// What is wrong with a file that cannot be drawn stands in the picture of the last one that could.
const { mark } = document.currentScript.dataset;
const problem = Object.assign(make("p", "", "chip"), { hidden: true, role: "alert" });
find("#over").append(problem);

async function watch() {
  try {
    const { headers } = await fetch(location.pathname, { method: "HEAD" }), drawn = headers.get("etag");
    if (drawn && drawn !== `"${mark}"`) {
      keepState();
      location.reload();
      return;
    }
    problem.textContent = decodeURIComponent(headers.get("x-problem") || "");
    problem.hidden = !problem.textContent;
  } catch { /* the server has ended: this page stays as it is */ }
  setTimeout(watch, 500);
}

watch();
