import { Button } from '@mantine/core'
import { isEmbedded } from '../api/embedding.ts'
import { readFile } from '../api/read-file.ts'
import { useChange } from '../api/use-change.ts'

type Props = { label: string; path: string; fileName: string }

/** A file of the admin API; `path` is below /admin/api. */
export function DownloadButton({ label, path, fileName }: Props) {
  const { start, isPending } = useChange({ change: () => save(path, fileName) })
  const look = { variant: 'default', size: 'xs' } as const
  // The browser writes it as it comes, and asks with the session. In the platform's admin a link brings no token.
  return isEmbedded ? (
    <Button {...look} loading={isPending} onClick={() => start()}>
      {label}
    </Button>
  ) : (
    <Button {...look} component="a" href={`/admin/api${path}`} download={fileName}>
      {label}
    </Button>
  )
}

async function save(path: string, fileName: string): Promise<void> {
  const url = URL.createObjectURL(await readFile(path))
  const link = Object.assign(document.createElement('a'), { href: url, download: fileName })
  link.click()
  URL.revokeObjectURL(url)
}
