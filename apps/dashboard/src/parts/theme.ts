/** theme: dark, light, or as the machine has it. Kept in this browser. */
const key = "reprise.theme";
export const themes = ["auto", "dark", "light"] as const;
export type Theme = (typeof themes)[number];

export function readTheme(): Theme {
  const kept = localStorage.getItem(key);
  return themes.find((theme) => theme === kept) ?? "auto";
}

export function setTheme(theme: Theme): void {
  localStorage.setItem(key, theme);
  showTheme(theme);
}

export function showTheme(theme: Theme = readTheme()): void {
  if (theme === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}
