// @ts-check
// The page of a benchmark: fetches the parts that another room serves.

import { loadIncludes } from "./review/include.js";

loadIncludes(document);
