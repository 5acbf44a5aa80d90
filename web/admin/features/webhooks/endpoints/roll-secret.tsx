import { Select, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { FormDialog } from '../../../shared/forms/form-dialog.tsx'
import { useSubmit } from '../../../shared/forms/use-submit.ts'
import { type Endpoint, rollSecret } from '../queries.ts'
import type { Shown } from './new-secret.tsx'
import { useEndpointsTexts } from './texts.ts'

type Props = { endpoint: Endpoint; onClose: () => void; onRolled: (rolled: Shown) => void }

export function RollSecret({ endpoint, onClose, onRolled }: Props) {
  const { id } = useKnownStore()
  const texts = useEndpointsTexts()
  const form = useForm({ initialValues: { overlap: '24' } })
  const submit = useSubmit(form, {
    send: ({ overlap }) => rollSecret(id, endpoint.id, Number(overlap)),
    onDone: onRolled
  })
  const isAtOnce = form.values.overlap === '0'
  return (
    <FormDialog
      title={texts.roll}
      submitLabel={texts.roll}
      submit={submit}
      isHarmful={isAtOnce}
      isOpen
      onClose={onClose}
    >
      <Text size="sm">{texts.rollText}</Text>
      {endpoint.previous_secret_until && <Text size="sm">{texts.rollAgain}</Text>}
      <Select
        label={texts.rollOverlap}
        // In the order of their hours.
        data={Object.entries(texts.overlaps).map(([value, label]) => ({ value, label }))}
        allowDeselect={false}
        {...form.getInputProps('overlap')}
      />
      {isAtOnce && (
        <Text size="sm" fw={500}>
          {texts.rollLeaked}
        </Text>
      )}
    </FormDialog>
  )
}
