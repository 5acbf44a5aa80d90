import { type FileHandle, open, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { addCommand, type Terminal } from '../../command.ts'
import { CommandError } from '../../command-error.ts'
import { customerIdOf, customerText } from '../../customer-flag.ts'
import { characters, matching, needed, numberFlag, oneOf, optional, text, wholeNumber } from '../../flags.ts'
import { facts, table } from '../../print.ts'
import { queryOf } from '../pages.ts'
import { storeFlag } from '../store-flag.ts'
import { loyaltyPath } from './loyalty-flags.ts'

const COLUMNS = [
  'id',
  'status',
  'customer_id',
  'retailer',
  'purchased_on',
  'receipt_number',
  'amount',
  'points',
  'reason'
]
const amount = matching('an amount above 0 such as 28.50', /^\d{1,12}(\.\d{1,4})?$/)

/** Receipts that customers have sent. */
export function addReceiptCommands(loyalty: Command, terminal: Terminal): void {
  const receipt = loyalty.command('receipt').description('receipts that customers have sent')
  const of = { store: storeFlag, id: numberFlag('a receipt') }

  addCommand(receipt, terminal, {
    name: 'list',
    summary: 'list receipts, newest first',
    flags: {
      store: storeFlag,
      customer: optional('--customer <id>', customerText),
      status: optional('--status <status>', oneOf('waiting', 'approved', 'refused')),
      limit: optional('--limit <n>', wholeNumber(1, 100)),
      before: optional('--before <number>', wholeNumber(1, Number.MAX_SAFE_INTEGER))
    },
    run: async ({ store, customer, ...more }, { api }) => {
      const query = queryOf({ ...more, customer: await customerIdOf(api(), store, customer) })
      return api().get(`${loyaltyPath(store, 'receipts')}?${query}`)
    },
    show: table(COLUMNS, 'There are no receipts yet.')
  })

  addCommand(receipt, terminal, {
    name: 'download',
    summary: 'write the file of a receipt, which a stranger has made, to a new file',
    flags: { ...of, to: needed('--to <file>', text('the path of a file that is not there yet')) },
    run: async ({ store, id, to }, { api }) => {
      const bytes = await api().readFile(`${loyaltyPath(store, 'receipts', id)}/file`)
      const file = await newFile(to)
      try {
        await pipeline(bytes, file.createWriteStream())
      } catch (err) {
        await rm(to, { force: true })
        throw err
      }
      return { file: to }
    },
    show: facts
  })

  addCommand(receipt, terminal, {
    name: 'approve',
    summary: 'approve a receipt, over another amount where one is given; the customer earns by its rule',
    flags: { ...of, amount: optional('--amount <amount>', amount) },
    run: ({ store, id, ...given }, { api }) => api().post(`${loyaltyPath(store, 'receipts', id)}/approve`, given),
    show: facts
  })

  addCommand(receipt, terminal, {
    name: 'refuse',
    summary: 'refuse a receipt; what it has earned is taken back',
    flags: { ...of, reason: needed('--reason <text>', characters(1, 500)) },
    run: ({ store, id, reason }, { api }) => api().post(`${loyaltyPath(store, 'receipts', id)}/refuse`, { reason }),
    show: facts
  })
}

/** Never over a file that is there. */
async function newFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600)
  } catch (err) {
    const { code, message } = err as NodeJS.ErrnoException
    throw new CommandError(
      'invalid_request',
      code === 'EEXIST' ? `${path} is there already: name a new file` : `${path} cannot be written: ${message}`
    )
  }
}
