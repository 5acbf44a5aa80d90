import { Button, Group, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useKnownStore } from '../../shared/api/stores.ts'
import { FileField } from '../../shared/forms/file-field.tsx'
import { FormAlert } from '../../shared/forms/form-alert.tsx'
import { useSubmit } from '../../shared/forms/use-submit.ts'
import { May } from '../../shared/session/may.tsx'
import { Section } from '../../shared/ui/section.tsx'
import { type Import, sendFile } from './queries.ts'
import { useImportsTexts } from './texts.ts'

/** For an import whose file has not come, or not to its end. */
export function SendAgain({ of }: { of: Import }) {
  const { id: store } = useKnownStore()
  const { again: texts, start } = useImportsTexts()
  const form = useForm<{ file: File | null }>({
    initialValues: { file: null },
    validate: { file: (file) => (file === null ? start.fileNeeded : null) }
  })
  const submit = useSubmit(form, { send: async ({ file }) => file && sendFile(store, of, file), done: texts.done })
  return (
    <May permission="manage">
      <Section title={texts.title}>
        <Text size="sm" c="dimmed" maw={720}>
          {texts.text}
        </Text>
        <form onSubmit={submit.onSubmit}>
          <Stack>
            <FileField label={start.file} maw={420} {...form.getInputProps('file')} />
            <FormAlert message={submit.general} />
            <Group>
              <Button type="submit" loading={submit.isPending}>
                {texts.label}
              </Button>
            </Group>
          </Stack>
        </form>
      </Section>
    </May>
  )
}
