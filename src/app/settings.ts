export type Setting = { name: string; takes: string; default: string; meaning: string }
export const SETTINGS: readonly Setting[] = []
