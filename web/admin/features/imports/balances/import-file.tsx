import { Button, Code, Group, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { FileField } from '../../../shared/forms/file-field.tsx'
import { FormAlert } from '../../../shared/forms/form-alert.tsx'
import { useSubmit } from '../../../shared/forms/use-submit.ts'
import { useMay } from '../../../shared/session/may.tsx'
import { ConfirmButton } from '../../../shared/ui/confirm-button.tsx'
import { EmptyState } from '../../../shared/ui/empty-state.tsx'
import type { Fact } from '../../../shared/ui/fact-list.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import { Report, type ReportOfFile } from './report.tsx'
import type { Sending } from './send-balances.ts'
import { useBalancesTexts } from './texts.ts'

type Props<R extends ReportOfFile> = {
  texts: { title: string; text: string; columns: string; example: string; again: string }
  send: (sending: Sending) => Promise<R>
  /** What was done, or would be. */
  facts: (report: R) => Fact[]
  /** Whether carrying it out would change anything. */
  hasEffect: (report: R) => boolean
}

/** A file of balances: first it is only checked, then what the check has shown is carried out. */
export function ImportFile<R extends ReportOfFile>({ texts: words, send, facts, hasEffect }: Props<R>) {
  const { id: store } = useKnownStore()
  const texts = useBalancesTexts()
  const [last, setLast] = useState<{ file: File; report: R } | null>(null)
  const form = useForm<{ file: File | null }>({
    initialValues: { file: null },
    validate: { file: (file) => (file === null ? texts.fileNeeded : null) }
  })
  const carryOut = async (file: File, isDryRun: boolean) => ({
    file,
    report: await send({ store, file, isDryRun, unreadable: texts.unreadable })
  })
  const submit = useSubmit(form, {
    send: async ({ file }) => file && carryOut(file, true),
    onDone: setLast
  })
  // What was checked is what is carried out: another file begins anew.
  const report = last && last.file === form.values.file ? last.report : null
  if (!useMay('manage')) return <EmptyState title={words.title} text={texts.mayNot} />
  return (
    <>
      <Section title={words.title}>
        <Text size="sm" c="dimmed" maw={720}>
          {words.text}
        </Text>
        <Text size="sm" maw={720}>
          {words.columns}
        </Text>
        <Code block className="wide-content" tabIndex={0} role="region" aria-label={texts.example}>
          {words.example}
        </Code>
        <form onSubmit={submit.onSubmit} noValidate>
          <Stack>
            <FileField
              label={texts.file}
              accept=".csv,.ndjson,.jsonl,text/csv,application/x-ndjson"
              maw={420}
              {...form.getInputProps('file')}
            />
            <FormAlert message={submit.general} />
            <Group>
              <Button type="submit" variant={report === null ? 'filled' : 'default'} loading={submit.isPending}>
                {texts.check}
              </Button>
            </Group>
            <Text size="sm" aria-live="polite">
              {submit.isPending && texts.checking}
            </Text>
          </Stack>
        </form>
      </Section>
      {last && report && (
        <Report report={report} facts={facts(report)} again={words.again}>
          {report.dry_run && hasEffect(report) && (
            <Group>
              <ConfirmButton
                {...texts.carryOut}
                variant="filled"
                size="sm"
                change={async () => setLast(await carryOut(last.file, false))}
              />
            </Group>
          )}
        </Report>
      )}
    </>
  )
}
