// The colours that a person chose, else those of the system.

type Theme = 'light' | 'dark';

class ThemeSwitch {
  current = $state<Theme>(document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light');

  start(): void {
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', (change) => {
      if (kept() === null) this.#set(change.matches ? 'dark' : 'light');
    });
  }

  toggle = (): void => {
    this.#set(this.current === 'dark' ? 'light' : 'dark');
    try {
      localStorage.setItem('theme', this.current);
    } catch {
      // It lasts until the page is reloaded.
    }
  };

  #set(theme: Theme): void {
    this.current = theme;
    document.documentElement.dataset.theme = theme;
  }
}

function kept(): string | null {
  try {
    return localStorage.getItem('theme');
  } catch {
    return null;
  }
}

export const theme = new ThemeSwitch();
