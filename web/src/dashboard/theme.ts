// The chosen theme lives in a cookie, so that the server paints it in the first byte; without one the system decides.
export type Theme = 'system' | 'light' | 'dark'

export function currentTheme(): Theme {
  const set = document.documentElement.dataset['theme']
  return set === 'light' || set === 'dark' ? set : 'system'
}

export function setTheme(theme: Theme): void {
  const isSystem = theme === 'system'
  document.cookie = `theme=${isSystem ? '' : theme}; Path=/; Max-Age=${isSystem ? 0 : 31_536_000}; SameSite=Lax`
  if (isSystem) delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}
