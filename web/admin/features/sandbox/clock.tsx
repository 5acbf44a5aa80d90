import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { storesQuery, useKnownStore } from '../../shared/api/stores.ts'
import { useChange } from '../../shared/api/use-change.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { instantOf } from '../../shared/format/instant-of.ts'
import { localTime } from '../../shared/format/local-time.ts'
import { FormAlert } from '../../shared/forms/form-alert.tsx'
import { useSubmit } from '../../shared/forms/use-submit.ts'
import { May } from '../../shared/session/may.tsx'
import { Failure } from '../../shared/ui/failure.tsx'
import { Section } from '../../shared/ui/section.tsx'
import { type Advanced, advanceClock } from './queries.ts'
import { useSandboxTexts } from './texts.ts'
import { WhatHappened } from './what-happened.tsx'

/** A move stops at everything that falls due: the clock is read again and again, also by whoever has reloaded the page. */
const REFRESH_MS = 2_000

const STEPS = ['P1D', 'P1W', 'P1M'] as const

/** The clock of the store, and the ways to move it. */
export function Clock() {
  const { id, clock, timezone } = useKnownStore()
  useQuery({ ...storesQuery, refetchInterval: REFRESH_MS })
  const texts = useSandboxTexts()
  const { time } = useFormats()
  const [moved, setMoved] = useState<Advanced | null>(null)
  const { start, isPending, error } = useChange({
    change: (by: string) => advanceClock(id, { by }),
    inForm: true,
    onDone: setMoved
  })
  return (
    <Section title={texts.clock}>
      <Text size="xl" fw={600} className="figure">
        {clock === null ? texts.realTime : <time dateTime={clock}>{time(clock, timezone)}</time>}
      </Text>
      <Text size="sm" c="dimmed" maw={720}>
        {clock === null ? texts.noClock : texts.clockText}
      </Text>
      <May permission="develop">
        {clock !== null && (
          <Stack gap="sm">
            <Group gap="xs">
              {STEPS.map((by) => (
                <Button key={by} variant="default" onClick={() => start(by)} disabled={isPending}>
                  {texts.steps[by]}
                </Button>
              ))}
            </Group>
            <Until clock={clock} onMoved={setMoved} />
          </Stack>
        )}
      </May>
      <div aria-live="polite">
        {isPending && <Text size="sm">{texts.moving}</Text>}
        {error && <Failure error={error} />}
        {moved && !isPending && <WhatHappened moved={moved} />}
      </div>
    </Section>
  )
}

/** Moves the clock to a time of the shop. */
function Until({ clock, onMoved }: { clock: string; onMoved: (moved: Advanced) => void }) {
  const { id, timezone } = useKnownStore()
  const texts = useSandboxTexts()
  const form = useForm({ mode: 'uncontrolled', initialValues: { to: localTime(clock, timezone) } })
  const { setFieldValue } = form
  useEffect(() => setFieldValue('to', localTime(clock, timezone)), [clock, timezone, setFieldValue])
  const { onSubmit, isPending, general } = useSubmit(form, {
    send: ({ to }) => advanceClock(id, { to: instantOf(to, timezone) }),
    onDone: onMoved
  })
  return (
    <form onSubmit={onSubmit} noValidate>
      <Group align="flex-end" gap="xs">
        <TextInput
          type="datetime-local"
          label={texts.until(timezone)}
          key={form.key('to')}
          {...form.getInputProps('to')}
        />
        <Button type="submit" variant="default" loading={isPending}>
          {texts.advance}
        </Button>
      </Group>
      <FormAlert message={general} />
    </form>
  )
}
