import { Group, Loader, Stack, Text, TextInput, VisuallyHidden } from '@mantine/core'
import { type KeyboardEvent, useId, useState } from 'react'
import { useNavigate } from 'react-router'
import { useFormats } from '../../shared/format/formats.ts'
import { Dialog } from '../../shared/ui/dialog.tsx'
import { useJumpTexts } from './texts.ts'
import { type Result, useResults } from './use-results.ts'

const MAX_CHARACTERS = 320

/** The box and what it finds. Arrows choose, Enter goes there. */
export function JumpDialog({ onClose }: { onClose: () => void }) {
  const texts = useJumpTexts()
  const { count } = useFormats()
  const navigate = useNavigate()
  const list = useId()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const { results, isSearching } = useResults(text)
  const at = Math.min(chosen, results.length - 1)

  const go = (result: Result | undefined) => {
    if (!result) return
    onClose()
    if ('to' in result) navigate(result.to)
    else window.open(result.href, '_blank', 'noopener')
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') go(results[at])
    else if (event.key === 'ArrowDown') setChosen(Math.min(at + 1, results.length - 1))
    else if (event.key === 'ArrowUp') setChosen(Math.max(at - 1, 0))
    else return
    event.preventDefault()
  }
  const optionId = (nth: number) => `${list}-${nth}`

  return (
    <Dialog title={texts.title} isOpen onClose={onClose} size="lg" closesOnClickBeside>
      <Stack gap="sm">
        <TextInput
          aria-label={texts.label}
          placeholder={texts.placeholder}
          maxLength={MAX_CHARACTERS}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value)
            setChosen(0)
          }}
          onKeyDown={onKeyDown}
          rightSection={isSearching && <Loader size="xs" />}
          role="combobox"
          aria-expanded
          aria-controls={list}
          aria-autocomplete="list"
          aria-activedescendant={results.length > 0 ? optionId(at) : undefined}
          autoComplete="off"
          data-autofocus
        />
        <VisuallyHidden role="status">{texts.count(count(results.length), results.length === 1)}</VisuallyHidden>
        {results.length === 0 && !isSearching && (
          <Text size="sm" c="dimmed">
            {texts.nothing}
          </Text>
        )}
        <div id={list} role="listbox" aria-label={texts.results} className="results">
          {results.map((result, nth) => (
            // The keyboard stays in the box, which moves the choice.
            // biome-ignore lint/a11y/useFocusableInteractive: as said
            // biome-ignore lint/a11y/useKeyWithClickEvents: as said
            <div
              key={result.key}
              id={optionId(nth)}
              role="option"
              aria-selected={nth === at}
              className="result"
              onClick={() => go(result)}
              onPointerMove={() => setChosen(nth)}
            >
              <Group justify="space-between" wrap="nowrap" gap="md">
                <div className="wrap-anywhere">
                  <Text size="sm" fw={500} lineClamp={1}>
                    {result.name}
                  </Text>
                  {result.detail && (
                    <Text size="xs" c="dimmed" lineClamp={1}>
                      {result.detail}
                    </Text>
                  )}
                </div>
                <Text size="xs" c="dimmed" miw="max-content">
                  {texts.kinds[result.kind]}
                </Text>
              </Group>
            </div>
          ))}
        </div>
      </Stack>
    </Dialog>
  )
}
