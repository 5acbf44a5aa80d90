import { Button, Group, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { FactList } from '../../../shared/ui/fact-list.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import type { DeliveryDetail } from '../queries.ts'
import { checkSignatures, type Finding, headersIn, type Received } from './check-signature.ts'
import { useSignatureTexts } from './texts.ts'

/** Receivers refuse what was signed longer ago. */
const MAX_AGE_MINUTES = 5

type Result = { findings: Finding[]; minutesOff: number | null }

/** Takes what a receiver has, and says whether the signature is right. */
export function SignatureForm({ delivery }: { delivery: DeliveryDetail | null }) {
  const texts = useSignatureTexts()
  const [result, setResult] = useState<Result | null>(null)
  const form = useForm<Received>({
    initialValues: {
      secret: '',
      headers: delivery ? `webhook-id: ${delivery.webhook_id}\n` : '',
      body: delivery?.body ?? ''
    },
    validate: {
      secret: (secret) => (secret.trim() === '' ? texts.noSecret : null),
      headers: (headers) => (hasSignature(headersIn(headers)) ? null : texts.noSignature),
      body: (body) => (body === '' ? texts.noBody : null)
    },
    // What was found is about what was there then.
    onValuesChange: () => setResult(null)
  })
  const check = form.onSubmit(async (received) => {
    const findings = await checkSignatures(received)
    setResult({ findings, minutesOff: minutesOff(headersIn(received.headers)) })
  })
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <Section title={texts.input}>
        <form onSubmit={check} noValidate>
          <Stack>
            <TextInput
              label={texts.secret}
              description={texts.secretHelp}
              placeholder="whsec_"
              autoComplete="off"
              spellCheck={false}
              ff="monospace"
              {...form.getInputProps('secret')}
            />
            <Textarea
              label={texts.headers}
              description={texts.headersHelp}
              placeholder={'X-Svc-Signature: sha256=…\nwebhook-id: wh_…'}
              rows={5}
              spellCheck={false}
              {...form.getInputProps('headers')}
            />
            <Textarea
              label={texts.body}
              description={delivery ? texts.ofDelivery(delivery.webhook_id) : texts.bodyHelp}
              rows={8}
              spellCheck={false}
              {...form.getInputProps('body')}
            />
            <Group>
              <Button type="submit" disabled={!globalThis.isSecureContext}>
                {texts.check}
              </Button>
            </Group>
          </Stack>
        </form>
      </Section>
      <Section title={texts.result}>
        <Stack role="status" gap="md">
          {result ? <Findings {...result} /> : <Text c="dimmed">{texts.waiting}</Text>}
        </Stack>
      </Section>
    </SimpleGrid>
  )
}

function Findings({ findings, minutesOff: minutes }: Result) {
  const texts = useSignatureTexts()
  return (
    <>
      {findings.map(({ header, given, expected, reason }) => (
        <Stack key={header} gap="xs">
          <Text fw={600} className={reason ? 'bad-news' : 'good-news'}>
            {reason ? texts.wrong(header) : texts.right(header)}
          </Text>
          {reason && <Text size="sm">{texts.reasons[reason]}</Text>}
          {reason && (
            <FactList
              facts={[
                [texts.given, <code key="given">{given}</code>],
                ...(expected
                  ? [[texts.expected, <code key="expected">{expected}</code>] as [string, React.ReactNode]]
                  : [])
              ]}
            />
          )}
        </Stack>
      ))}
      {minutes !== null && Math.abs(minutes) > MAX_AGE_MINUTES && (
        <Text size="sm">{texts.old(String(Math.abs(minutes)))}</Text>
      )}
    </>
  )
}

const hasSignature = (headers: Map<string, string>) =>
  ['x-svc-signature', 'x-svc-signature-next', 'webhook-signature'].some((name) => headers.has(name))

function minutesOff(headers: Map<string, string>): number | null {
  const seconds = Number(headers.get('webhook-timestamp'))
  return seconds > 0 ? Math.round((Date.now() / 1000 - seconds) / 60) : null
}
