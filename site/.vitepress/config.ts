/** The documentation site: vitepress looks for its configuration here. */
import { siteConfig } from "@reprise/tools/site/config.ts";

/** @public */
export default siteConfig;
