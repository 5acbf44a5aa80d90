/** A share as a bar beside its number, which says the same. */
export function Bar({ share }: { share: number }) {
  return (
    <div className="bar" aria-hidden="true">
      <span ref={(element) => void (element && (element.style.width = `${Math.round(Math.min(share, 1) * 100)}%`))} />
    </div>
  )
}
