// What the server sends, as `crates/ui/openapi.yaml` describes it.

export type Verdict = 'allow' | 'note' | 'save' | 'ask' | 'deny' | 'halt';
export type Level = 'off' | 'note' | 'save' | 'ask' | 'deny';
export type Outcome = 'open' | 'ran' | 'failed' | 'none' | 'refused' | 'event';
export type State = 'working' | 'waiting' | 'refused' | 'idle';
export type Light = 'ok' | 'warn' | 'fail';

export interface About {
  version: string;
  pin_set: boolean;
  pin_hint?: string;
  head: number;
  agents: string[];
  notes: string[];
}

export interface Row {
  seq: number;
  at: string;
  agent: string;
  session: string;
  session_id: string;
  actor: { id: string; type: string } | null;
  project: string;
  cwd: string;
  phase: string;
  event: string;
  tool: string;
  class: string;
  subject: string;
  verdict: Verdict;
  rules: string[];
  reason?: string;
  fault?: string;
  code?: string;
  outcome: Outcome;
  error?: string;
  took_ms?: number;
  gate_us?: number;
  result_bytes?: number;
}

export interface Events {
  rows: Row[];
  next: number | null;
  head: number;
  partial: boolean;
}

export interface Card {
  id: string;
  agent: string;
  session: string;
  project: string;
  cwd: string;
  state: State;
  why: string;
  since: string;
  seq: number;
  last: string;
  code?: string;
  calls: number;
  asked: number;
  refused: number;
  actors: number;
}

export interface Now {
  at: string;
  head: number;
  cards: Card[];
  today: { calls: number; asked: number; refused: number; failed: number; sessions: number };
}

export interface Span {
  start: number;
  end: number;
}

export interface Effect {
  kind: string;
  what: string;
  certainty: 'certain' | 'possible' | 'budget';
  span: Span | null;
}

export interface Finding {
  rule: string;
  verdict: Verdict;
  what: string;
  instead: string;
  span: Span | null;
}

export interface FileDiff {
  path: string;
  lines: { op: ' ' | '+' | '-' | '@'; text: string }[];
  cut: boolean;
}

export interface CallDetail {
  row: Row;
  source: string;
  language: 'shell' | 'json' | 'text';
  effects: Effect[];
  findings: Finding[];
  would: { rule: string; verdict: Verdict }[];
  diff: FileDiff[];
  input: unknown;
  result: {
    seq: number;
    at: string;
    outcome: Outcome;
    error?: string;
    bytes?: number;
    took_ms?: number;
    /** Not in the contract yet: shown when a server sends it. */
    output?: string;
  } | null;
  policy: string;
  waiting: WaitingCall | null;
  snapshot: string | null;
  record: unknown;
}

export interface SessionRow {
  id: string;
  agent: string;
  session: string;
  project: string;
  cwd: string;
  first: string;
  last: string;
  events: number;
  prompts: number;
  calls: number;
  asked: number;
  refused: number;
  state: State;
}

export interface Sessions {
  sessions: SessionRow[];
  total: number;
}

export interface Lane {
  id: string;
  type: string;
  parent: string | null;
  first: string;
  last: string;
  calls: number;
  refused: number;
}

export interface SessionStory {
  session: SessionRow;
  lanes: Lane[];
  rows: Row[];
  next: number | null;
  cost: Spent[];
}

export interface RuleRow {
  id: string;
  pack: string;
  level: Level;
  default_level: Level;
  summary: string;
  fires: number;
  asked: number;
  denied: number;
  approved: number;
  declined: number;
  overridden: number;
  retried: number;
  precision: number | null;
}

export interface RuleDetail {
  rule: RuleRow;
  doc: string;
  advice: string;
  examples: { hit: boolean; tool: string; text: string }[];
  recent: Row[];
}

export interface Replay {
  rule: string;
  level: Level;
  calls: number;
  changed: number;
  stricter: number;
  looser: number;
  verdicts: { from: Verdict; to: Verdict; calls: number }[];
  examples: { from: Verdict; to: Verdict; text: string }[];
  partial: boolean;
}

export interface PolicyValue {
  name: string;
  value: string;
  layer: 'built-in' | 'managed' | 'user' | 'project';
  place?: string;
}

export interface Policy {
  digest: string;
  project: string | null;
  values: PolicyValue[];
  files: { path: string; layer: string }[];
  problems: {
    severity: 'error' | 'warning';
    message: string;
    hint: string;
    path: string;
    line: number;
    column: number;
    shown: string;
  }[];
  notices: string[];
  exceptions: { what: string; reason: string; until: string }[];
}

export interface Snapshot {
  id: string;
  at: string;
  agent: string;
  session: string;
  call: string;
  paths: string[];
  more_paths: number;
  files: number;
  bytes: number;
  undoes: string | null;
}

export interface UndoPreview {
  snapshot: Snapshot;
  steps: {
    path: string;
    change: 'create' | 'replace' | 'remove' | 'attributes';
    conflict: string | null;
    bytes?: number;
  }[];
  more_steps: number;
  conflicts: number;
}

export interface Restored {
  restored: number;
  failed: { path: string; why: string }[];
  undo: string | null;
}

export interface Spent extends Tokens {
  agent: string;
  session: string;
  session_id: string;
  model: string;
  project: string;
  day: string;
  checked: boolean;
}

export interface Tokens {
  answers: number;
  input: number;
  cached: number;
  cache_writes: number;
  output: number;
  dollars: number | null;
}

export interface Sum extends Tokens {
  name: string;
}

export interface Cost {
  since: string;
  spent: Spent[];
  by_model: Sum[];
  by_project: Sum[];
  by_day: Sum[];
  total: Sum;
  notes: string[];
}

export interface WaitingCall {
  code: string;
  digest: string;
  seq: number;
  at: string;
  agent: string;
  session: string;
  session_id: string;
  cwd: string;
  text: string;
  cut: boolean;
  findings: string[];
  approved: boolean;
}

export interface Waiting {
  calls: WaitingCall[];
  pin_set: boolean;
}

export interface Doctor {
  light: Light;
  in_force: boolean;
  lines: { about: string; light: Light; what: string; fix: string | null }[];
  faults: number;
}

export interface Rules {
  rules: RuleRow[];
}

export interface UndoList {
  snapshots: Snapshot[];
}
