import { useEffect, useState } from 'react'
import { isEmbedded } from '../api/embedding.ts'
import { readFile } from '../api/read-file.ts'

type Props = { path: string; alt: string; className: string }

/** An image of the admin API; `path` is below /admin/api. In the platform's admin an address alone brings no token. */
export const ApiImage = ({ path, alt, className }: Props) =>
  isEmbedded ? (
    <ReadImage path={path} alt={alt} className={className} />
  ) : (
    <img src={`/admin/api${path}`} alt={alt} className={className} loading="lazy" />
  )

function ReadImage({ path, alt, className }: Props) {
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    const reading = readFile(path).then(URL.createObjectURL)
    let isGone = false
    reading.then(
      (read) => isGone || setUrl(read),
      () => isGone || setUrl('')
    )
    return () => {
      isGone = true
      reading.then(URL.revokeObjectURL, () => {})
    }
  }, [path])
  return url === null ? null : <img src={url} alt={alt} className={className} />
}
