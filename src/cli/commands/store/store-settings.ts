import { type Command, Option } from 'commander'
import { type Accepted, type ListedSetting, listSettings, type SettingsSection } from '#kit/define-settings'
import { addCommand, type Terminal } from '../../command.ts'
import { characters, id, oneOf, optional, orWord, type Reader, wholeNumber, wholeNumbers } from '../../flags.ts'
import { facts } from '../../print.ts'
import { storeFlag, storePath } from '../store-flag.ts'

/** The words for null: the setting never ends, or is left to the service. */
const NEVER = 'never'
const DEFAULT = 'default'

/** Shows the settings of a store; flags change them. Each setting of `sections` has a flag. */
export function addStoreSettingsCommand(
  store: Command,
  terminal: Terminal,
  sections: readonly SettingsSection[]
): void {
  const settings = sections.flatMap(listSettings)
  addCommand(store, terminal, {
    name: 'settings',
    summary: 'show the settings of a store, such as those for failed charges; flags change them',
    flags: {
      store: storeFlag,
      ...Object.fromEntries(
        settings.map(({ setting }) => [keyOf(setting.flag), optional(setting.flag, readerOf(setting.accepts))])
      )
    },
    fields: Object.fromEntries(settings.map(({ path, setting }) => [keyOf(setting.flag), path.join('.')])),
    run: ({ store, ...given }, { api }) => {
      const path = storePath(store, '/settings')
      const changed = settings.filter(({ setting }) => keyOf(setting.flag) in given)
      return changed.length === 0 ? api().get(path) : api().patch(path, changeOf(changed, given))
    },
    show: facts
  })
}

const keyOf = (flag: string) => new Option(flag).attributeName()

function readerOf(accepts: Accepted): Reader<unknown> {
  if (accepts.kind === 'choice') return oneOf(...accepts.options)
  if (accepts.kind === 'numbers') return wholeNumbers(accepts)
  if (accepts.kind === 'text') return characters(accepts.from, accepts.to)
  if (accepts.kind === 'id') return orWord(DEFAULT, id(accepts.prefix, `an id such as ${accepts.example}`))
  const reader = wholeNumber(accepts.from, accepts.to)
  return accepts.isNullable ? orWord(NEVER, reader) : reader
}

/** The body of a change: each value at the path of its setting. */
function changeOf(changed: ListedSetting[], given: Record<string, unknown>): Record<string, unknown> {
  const body: Record<string, unknown> = {}
  for (const { path, setting } of changed) {
    const value = given[keyOf(setting.flag)]
    const { kind } = setting.accepts
    const isNull = (kind === 'number' && value === NEVER) || (kind === 'id' && value === DEFAULT)
    const group = path.slice(0, -1).reduce((outer, name) => {
      outer[name] ??= {}
      return outer[name] as Record<string, unknown>
    }, body)
    group[path.at(-1)!] = isNull ? null : value
  }
  return body
}
