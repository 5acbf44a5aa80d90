import { Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { CodeBlock } from '../../../shared/ui/code-block.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import { useSettingsTexts } from '../texts.ts'

const SHOWN_MATCHES = 5
const SHOWN_CHARACTERS = 300

type Tested = { count: number; first: string[] } | 'invalid'

/** Tries a CSS selector on the source of a page of the theme, before it is saved for all customers. Nothing is sent anywhere. */
export function SelectorTester() {
  const { tester } = useSettingsTexts()
  const [tested, setTested] = useState<Tested | null>(null)
  const test = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const given = new FormData(event.currentTarget)
    setTested(matchesOf(String(given.get('html')), String(given.get('selector'))))
  }
  return (
    <Section title={tester.title}>
      <Text size="sm" c="dimmed" maw={720}>
        {tester.text}
      </Text>
      <form onSubmit={test}>
        <Stack>
          <TextInput
            name="selector"
            label={tester.selector}
            placeholder='button[name="checkout"]'
            maw={560}
            error={tested === 'invalid' ? tester.invalid : null}
          />
          <Textarea name="html" label={tester.html} description={tester.htmlHelp} rows={4} maw={560} />
          <Group>
            <Button type="submit" variant="default">
              {tester.label}
            </Button>
          </Group>
        </Stack>
      </form>
      <div aria-live="polite">
        {tested !== null && tested !== 'invalid' && (
          <Stack gap="xs">
            <Text size="sm" fw={600}>
              {tester.found(tested.count)}
            </Text>
            {tested.first.map((element, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the matches of one test never move
              <CodeBlock key={i} label={tester.match(i + 1)} text={element} />
            ))}
          </Stack>
        )}
      </div>
    </Section>
  )
}

/** A document that is parsed so runs no script and loads nothing. */
function matchesOf(html: string, selector: string): Tested {
  try {
    const found = [...new DOMParser().parseFromString(html, 'text/html').querySelectorAll(selector)]
    const first = found.slice(0, SHOWN_MATCHES).map(({ outerHTML }) => outerHTML.slice(0, SHOWN_CHARACTERS))
    return { count: found.length, first }
  } catch {
    return 'invalid'
  }
}
