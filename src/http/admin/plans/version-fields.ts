import { VERSION_TARGETS, type VersionTarget } from '#plans'

/** `running` is how requests named `list_price` before there was a choice. */
export const APPLY_TO = [...VERSION_TARGETS, 'running'] as const

export const targetOf = <T extends VersionTarget>(applyTo: T | 'running'): T | 'list_price' =>
  applyTo === 'running' ? 'list_price' : applyTo
