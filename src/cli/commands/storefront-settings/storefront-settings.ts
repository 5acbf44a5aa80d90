import type { Command } from 'commander'
import type { AdminApi, Document } from '../../admin-api.ts'
import { addCommand, type Terminal } from '../../command.ts'
import { CommandError } from '../../command-error.ts'
import { jsonObject, needed, optional, text } from '../../flags.ts'
import { facts, lines } from '../../print.ts'
import { storeFlag, storePath } from '../store-flag.ts'

/** What operators enter for the storefront: texts and selectors of widgets, and what is switched on. */
export function addStorefrontSettingCommands(program: Command, terminal: Terminal): void {
  const settings = program
    .command('storefront-settings')
    .description('settings that the storefront reads from metafields of the shop')

  addCommand(settings, terminal, {
    name: 'get',
    summary: 'show the settings of the storefront, or one of them',
    flags: { store: storeFlag, key: optional('--key <key>', text('the key of a setting, such as svc_agreement')) },
    run: async ({ store, key }, { api }) => {
      const all: Document = await api().get(storePath(store, '/storefront-settings'))
      if (key === undefined) return all
      const found = (all.data as Document[]).find((one) => one.key === key)
      if (found) return found
      const keys = (all.data as Document[]).map((one) => one.key).join(', ')
      throw new CommandError('not_found', `--key must be one of ${keys}`)
    },
    show: (document) =>
      'data' in document ? (document.data as Document[]).map(shownSetting).join('\n') : shownSetting(document)
  })

  addCommand(settings, terminal, {
    name: 'set',
    summary: 'change a setting of the storefront; fields that are left out stay',
    flags: {
      store: storeFlag,
      key: needed('--key <key>', text('the key of a setting, such as svc_agreement')),
      value: needed('--value <json>', jsonObject('the fields to change'))
    },
    run: async ({ store, key, value }, { api, err }) => {
      const set = await api().patch(storePath(store, `/storefront-settings/${encodeURIComponent(key)}`), { value })
      if (isOn((set.value as Document).wallet_pass_enabled) && !(await hasWallet(api(), store)))
        err.write(`No wallet is set up, so that nobody gets a pass yet: perennial wallet set-apple or set-google\n`)
      return set
    },
    show: shownSetting
  })
}

const isOn = (flag: unknown) => flag === 1

async function hasWallet(api: AdminApi, store: string): Promise<boolean> {
  const { apple, google } = await api.get(storePath(store, '/wallet'))
  return apple !== null || google !== null
}

const shownSetting = ({ key, name, help, value }: Document): string =>
  lines([`${key}: ${name}`, `  ${help}`]) +
  facts(value as Document)
    .replace(/^/gm, '  ')
    .trimEnd() +
  '\n'
