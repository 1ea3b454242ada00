"use strict";
// Of a served page: comes again when its site was built anew.

(async () => {
  const built = async () => (await fetch("build.txt", { cache: "no-store" })).text();
  const first = await built();
  setInterval(async () => {
    try {
      if ((await built()) !== first) location.reload();
    } catch {
      // The server is gone, or back soon.
    }
  }, 1000);
})();
