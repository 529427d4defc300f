// All English text of the console, gathered. A page imports its own part from text/en/<page>, so that it is loaded with
// the page; a translation is a second folder with the same parts.

export { common } from "./en/common";
export { errors } from "./en/errors";
