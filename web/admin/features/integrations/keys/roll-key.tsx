import { Select, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { FormDialog } from '../../../shared/forms/form-dialog.tsx'
import { useSubmit } from '../../../shared/forms/use-submit.ts'
import { type ApiKey, rollKey } from './queries.ts'
import { useKeysTexts } from './texts.ts'

const HOUR_MS = 3_600_000

type Props = { apiKey: ApiKey; onClose: () => void; onMade: (made: { name: string; key: string }) => void }

/** A new key in place of another, which works for a while longer. */
export function RollKey({ apiKey, onClose, onMade }: Props) {
  const { id, timezone } = useKnownStore()
  const texts = useKeysTexts()
  const { time } = useFormats()
  const form = useForm({ initialValues: { overlap: '24' } })
  const submit = useSubmit(form, { send: ({ overlap }) => rollKey(id, apiKey.id, Number(overlap)), onDone: onMade })
  const hours = Number(form.values.overlap)
  const end = new Date(Date.now() + hours * HOUR_MS).toISOString()
  return (
    <FormDialog
      title={texts.rollTitle(apiKey.name)}
      submitLabel={texts.roll}
      submit={submit}
      isHarmful={hours === 0}
      isOpen
      onClose={onClose}
    >
      <Text size="sm">{texts.rollText}</Text>
      {apiKey.expires_at && <Text size="sm">{texts.rollAgain}</Text>}
      <Select
        label={texts.overlap}
        // In the order of their hours.
        data={Object.entries(texts.overlaps).map(([value, label]) => ({ value, label }))}
        allowDeselect={false}
        {...form.getInputProps('overlap')}
      />
      <Text size="sm" fw={500}>
        {hours === 0 ? texts.oldEnds : texts.oldUntil(time(end, timezone))}
      </Text>
    </FormDialog>
  )
}
