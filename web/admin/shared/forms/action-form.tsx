import { Button, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { FormDialog } from './form-dialog.tsx'
import { useSubmit } from './use-submit.ts'

type Field = (name: string) => { key: string } & Record<string, unknown>

type Props<Values extends Record<string, string>> = {
  texts: { label: string; title: string; text?: string; confirm?: string; done: string }
  /** What the form begins with, by the names of the API. */
  values: Values
  /** Called with the fields that were filled in. */
  send: (values: Partial<Values>) => Promise<unknown>
  isHarmful?: boolean
  /** Whether what was typed is gone when the form is closed: of secrets. */
  forgetOnClose?: boolean
  children: (field: Field) => ReactNode
}

/** A button that opens a form for an action and says what it will do. */
export function ActionForm<Values extends Record<string, string>>({
  texts,
  values,
  send,
  isHarmful = false,
  forgetOnClose = false,
  children
}: Props<Values>) {
  const [isOpen, { open, close }] = useDisclosure()
  const form = useForm<Values>({ mode: 'uncontrolled', initialValues: values })
  const submit = useSubmit(form, {
    send: (given) => send(filled(given)),
    done: texts.done,
    onDone: () => {
      close()
      form.reset()
    }
  })
  return (
    <>
      <Button variant="default" size="xs" c={isHarmful ? 'var(--mantine-color-error)' : undefined} onClick={open}>
        {texts.label}
      </Button>
      <FormDialog
        title={texts.title}
        submitLabel={texts.confirm ?? texts.label}
        submit={submit}
        isHarmful={isHarmful}
        isOpen={isOpen}
        onClose={
          forgetOnClose
            ? () => {
                close()
                form.reset()
              }
            : close
        }
      >
        {texts.text && <Text size="sm">{texts.text}</Text>}
        {children((name) => ({ key: form.key(name), ...form.getInputProps(name) }))}
      </FormDialog>
    </>
  )
}

function filled<Values extends Record<string, string>>(values: Values): Partial<Values> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== '')) as Partial<Values>
}
