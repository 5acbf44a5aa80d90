import { Button, Divider, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { FormAlert } from '../../../shared/forms/form-alert.tsx'
import { useSubmit } from '../../../shared/forms/use-submit.ts'
import { ApiImage } from '../../../shared/ui/api-image.tsx'
import { DownloadButton } from '../../../shared/ui/download-button.tsx'
import { FactList } from '../../../shared/ui/fact-list.tsx'
import { approveReceipt, type Receipt, refuseReceipt } from '../queries.ts'
import { useLoyaltyTexts } from '../texts.ts'
import { useReceiptTexts } from './texts.ts'

type Props = { receipt: Receipt; onClose: () => void }

/** The file of a receipt beside what the customer has entered, and both decisions. */
export function DecideReceipt({ receipt, onClose }: Props) {
  const { currency } = useKnownStore()
  const texts = useReceiptTexts()
  const { status } = useLoyaltyTexts()
  const { money, fullDate } = useFormats()
  return (
    <Stack>
      <FactList
        facts={[
          [texts.shop, receipt.retailer],
          [texts.entered, money(Number(receipt.amount), currency)],
          [texts.purchased, fullDate(receipt.purchased_on)],
          [texts.number, receipt.receipt_number ?? texts.noNumber],
          [texts.rule, receipt.rule_name],
          [status, [texts.statuses[receipt.status], receipt.reason].filter(Boolean).join(': ')]
        ]}
      />
      <ReceiptFile receipt={receipt} />
      <Approve receipt={receipt} onClose={onClose} />
      <Divider />
      <Refuse receipt={receipt} onClose={onClose} />
    </Stack>
  )
}

function ReceiptFile({ receipt: { id: number, has_file, content_type, file_bytes } }: { receipt: Receipt }) {
  const { id } = useKnownStore()
  const texts = useReceiptTexts()
  const { count } = useFormats()
  if (!has_file) return <Text size="sm">{texts.noFile}</Text>
  const path = `/stores/${id}/loyalty/receipts/${number}/file`
  return (
    <Stack gap="xs" align="flex-start">
      {content_type.startsWith('image/') && <ApiImage path={path} alt={texts.fileAlt} className="receipt-image" />}
      <DownloadButton
        label={texts.download(`${count(Math.ceil(file_bytes / 1024))} KB`)}
        path={path}
        fileName={`receipt-${number}.${content_type.split('/')[1]}`}
      />
      <Text size="xs" c="dimmed">
        {texts.stranger}
      </Text>
    </Stack>
  )
}

function Approve({ receipt, onClose }: Props) {
  const { id, currency } = useKnownStore()
  const texts = useReceiptTexts()
  const { count } = useFormats()
  const form = useForm({ initialValues: { amount: receipt.approved_amount ?? receipt.amount } })
  const isAgain = receipt.status === 'approved'
  const { onSubmit, isPending, general } = useSubmit(form, {
    send: ({ amount }) => approveReceipt(id, receipt.id, { amount: amount.trim() }),
    done: ({ points }) => texts.approved(texts.points(count(points ?? 0))),
    onDone: onClose
  })
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="xs">
        <Group align="flex-start" gap="xs">
          <TextInput
            label={texts.amount(currency)}
            description={isAgain ? texts.approveAgainHelp : texts.amountHelp}
            inputMode="decimal"
            flex={1}
            miw={200}
            {...form.getInputProps('amount')}
            data-autofocus
          />
        </Group>
        <FormAlert message={general} />
        <Group justify="flex-end">
          <Button type="submit" loading={isPending}>
            {isAgain ? texts.approveAgain : texts.approve}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function Refuse({ receipt, onClose }: Props) {
  const { id } = useKnownStore()
  const texts = useReceiptTexts()
  const form = useForm({ initialValues: { reason: receipt.reason ?? '' } })
  const { onSubmit, isPending, general } = useSubmit(form, {
    send: ({ reason }) => refuseReceipt(id, receipt.id, reason),
    done: texts.refused,
    onDone: onClose
  })
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="xs">
        <TextInput
          label={texts.reason}
          description={receipt.status === 'approved' ? texts.refuseApproved : texts.reasonHelp}
          {...form.getInputProps('reason')}
        />
        <FormAlert message={general} />
        <Group justify="flex-end">
          <Button type="submit" color="red" variant="outline" loading={isPending}>
            {texts.refuse}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
