import { Button, Text, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { FormDialog } from '../../shared/forms/form-dialog.tsx'
import { useSubmit } from '../../shared/forms/use-submit.ts'
import { type Account, type Adjustment, adjust, type Customer, type Entered, readAccount } from './queries.ts'
import { useCreditTexts } from './texts.ts'

type Props = { kind: Adjustment; customer: Customer; account: Account }

/** A button that opens the form of an adjustment, which shows the balance that it makes. */
export function AdjustButton(props: Props) {
  const { adjustments } = useCreditTexts()
  const [isOpen, { open, close }] = useDisclosure()
  const { label } = adjustments[props.kind]
  return (
    <>
      <Button
        variant="default"
        size="xs"
        c={props.kind === 'forfeit' ? 'var(--mantine-color-error)' : undefined}
        onClick={open}
      >
        {label}
      </Button>
      {/* A form of its own each time, so that it begins with the account as it is now. */}
      {isOpen && <AdjustForm {...props} onClose={close} />}
    </>
  )
}

function AdjustForm({ kind, customer, account, onClose }: Props & { onClose: () => void }) {
  const { id: store } = useKnownStore()
  const texts = useCreditTexts()
  const { money } = useFormats()
  const { title, text, label, done } = texts.adjustments[kind]
  const form = useForm<Entered>({ initialValues: { amount: '', reason: '', expires_at: '' } })
  const submit = useSubmit(form, {
    fields: (field) =>
      ['amount', 'balance'].includes(field) ? 'amount' : ['reason', 'expires_at'].includes(field) ? field : null,
    send: (entered) => adjust(store, customer.id, kind, entered),
    done: (after) => done(money(after.available, after.currency)),
    onDone: onClose,
    unlessChanged: {
      opened: account.updated_at,
      read: async () => (await readAccount(store, customer.id)).updated_at
    }
  })
  const after = balanceAfter(kind, account, form.values.amount)
  return (
    <FormDialog
      title={title}
      submitLabel={label}
      submit={submit}
      isHarmful={kind === 'forfeit'}
      isOpen
      onClose={onClose}
    >
      <Text size="sm">{text}</Text>
      {kind !== 'forfeit' && (
        <TextInput
          label={kind === 'reconcile' ? texts.rightBalance(account.currency) : texts.amountIn(account.currency)}
          inputMode="decimal"
          data-autofocus
          {...form.getInputProps('amount')}
        />
      )}
      <Textarea
        label={texts.reason}
        description={texts.reasonHelp}
        autosize
        minRows={2}
        maxRows={6}
        {...form.getInputProps('reason')}
      />
      {kind === 'add' && (
        <TextInput
          type="date"
          label={texts.expires}
          description={texts.expiresHelp}
          {...form.getInputProps('expires_at')}
        />
      )}
      {after !== null && (
        <Text size="sm" fw={600} aria-live="polite" className="figure">
          {texts.preview(money(account.balance, account.currency), money(after, account.currency))}
        </Text>
      )}
    </FormDialog>
  )
}

/** What the service would make of it; null while no amount is typed that it takes. */
function balanceAfter(kind: Adjustment, { balance, available }: Account, typed: string): number | null {
  if (kind === 'forfeit') return balance - available
  const amount = Number(typed)
  if (typed.trim() === '' || !Number.isFinite(amount) || amount < 0) return null
  if (kind === 'reconcile') return amount
  if (kind === 'add') return balance + amount
  return amount > available ? null : balance - amount
}
