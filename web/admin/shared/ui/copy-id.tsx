import { ActionIcon, CopyButton } from '@mantine/core'
import { useTexts } from '../texts/language.tsx'
import { CopiedIcon, CopyIcon } from './icons.tsx'

/** An id in the typeface of code, with a button that copies it. */
export function CopyId({ value }: { value: string }) {
  const { common } = useTexts()
  return (
    <span className="copy-id">
      <code>{value}</code>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            onClick={copy}
            aria-label={copied ? common.copied : `${common.copy}: ${value}`}
          >
            {copied ? <CopiedIcon size={14} /> : <CopyIcon size={14} />}
          </ActionIcon>
        )}
      </CopyButton>
    </span>
  )
}
