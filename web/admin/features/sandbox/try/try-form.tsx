import { Button, Group, Stack, Text } from '@mantine/core'
import type { FormEventHandler, ReactNode } from 'react'
import { FormAlert } from '../../../shared/forms/form-alert.tsx'
import { Section } from '../../../shared/ui/section.tsx'

type Props = {
  texts: { title: string; text: string; label: string }
  submit: { onSubmit: FormEventHandler<HTMLFormElement>; isPending: boolean; general: string | null }
  /** What came of the last one. */
  result: ReactNode
  children: ReactNode
}

/** One thing to try, with what came of it below. */
export function TryForm({ texts, submit, result, children }: Props) {
  return (
    <Section title={texts.title}>
      <Text size="sm" c="dimmed">
        {texts.text}
      </Text>
      <form onSubmit={submit.onSubmit} noValidate>
        <Stack gap="sm">
          {children}
          <FormAlert message={submit.general} />
          <Group>
            <Button type="submit" variant="default" loading={submit.isPending}>
              {texts.label}
            </Button>
          </Group>
        </Stack>
      </form>
      <div aria-live="polite">{result}</div>
    </Section>
  )
}

/** The props of a form that is about a customer. */
export type AboutCustomer = { customer: string; onCustomer: (customer: string) => void }
