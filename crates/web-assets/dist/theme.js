// Sets the theme before the first paint. A file of its own, because the content security policy runs no inline script.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("segue.theme");
  } catch {
    // Storage may be switched off; then the system's theme holds.
  }
  const dark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
})();
