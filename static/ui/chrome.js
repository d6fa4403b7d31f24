// @ts-check
// The frame of every page: keys dialog, theme, menus.

import { setUpKeysDialog } from "./keys_dialog.js";
import { showMovedKeys } from "./moved_keys.js";
import { setUpMenus } from "./menus.js";
import { setUpTheme } from "./theme.js";
import { localClocks } from "./local_clock.js";

setUpKeysDialog();
setUpTheme();
setUpMenus();
showMovedKeys();
localClocks();
