// Numbers, times and paths for people. A missing value is a dash, never an empty cell.

import { plain } from './text';

const whole = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const minute = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const full = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' });

export function count(value: number): string {
  return whole.format(value);
}

export function compact(value: number): string {
  return value < 10_000 ? whole.format(value) : short.format(value);
}

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

export function bytes(value: number | undefined): string {
  if (value === undefined) return '–';
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

export function money(value: number | null): string {
  if (value === null) return 'no price';
  if (value > 0 && value < 0.01) return '< $0.01';
  return `$${value.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

export function millis(value: number | undefined): string {
  if (value === undefined) return '–';
  if (value < 1000) return `${value} ms`;
  return value < 60_000 ? `${(value / 1000).toFixed(1)} s` : length(value);
}

export function micros(value: number | undefined): string {
  if (value === undefined) return '–';
  return value < 1000 ? `${value} µs` : `${(value / 1000).toFixed(1)} ms`;
}

/** `48 s`, `3 min 20 s`, `2 h 5 min`, `4 d 2 h`. */
export function length(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return seconds % 60 ? `${minutes} min ${seconds % 60} s` : `${minutes} min`;
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  const days = Math.floor(hours / 24);
  return hours % 24 && days < 10 ? `${days} d ${hours % 24} h` : `${days} d`;
}

export function since(at: string, now: number): string {
  return length(now - Date.parse(at));
}

export function between(first: string, last: string): string {
  return length(Date.parse(last) - Date.parse(first));
}

export function time(at: string): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? '–' : clock.format(date);
}

/** The time of day for today, else with the day. */
export function when(at: string, now: number): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return '–';
  const today = new Date(now).toDateString() === date.toDateString();
  return today ? minute.format(date) : `${day.format(date)}, ${minute.format(date)}`;
}

export function dayOf(at: string): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? plain(at, 40) : day.format(date);
}

export function exact(at: string): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? plain(at, 40) : full.format(date);
}

/** The last part of a path: what a person calls the project. */
export function base(path: string): string {
  const parts = path.replace(/\/+$/, '').split('/');
  return parts[parts.length - 1] || path || 'no project';
}

const AGENTS: Record<string, string> = {
  'claude-code': 'Claude Code',
  codex: 'Codex',
  'gemini-cli': 'Gemini CLI',
  'copilot-cli': 'Copilot CLI',
  'qwen-code': 'Qwen Code',
  opencode: 'OpenCode',
  cursor: 'Cursor',
  windsurf: 'Windsurf',
  droid: 'Droid',
  kiro: 'Kiro',
  kilo: 'Kilo',
  cline: 'Cline',
  amp: 'Amp',
  auggie: 'Auggie',
};

export function agentName(agent: string): string {
  return AGENTS[agent] ?? plain(agent, 60);
}

export function shortId(id: string): string {
  return plain(id.length > 10 ? id.slice(0, 8) : id);
}
