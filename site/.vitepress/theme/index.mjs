/** The theme: vitepress' own without its fonts, so that nothing but the reader's machine is asked for one. */
import theme from "vitepress/theme-without-fonts";
import "./style.css";

/** @public */
export default theme;
