/** Of the longer side, in pixels. */
const ICON_PX = 14

/** A small picture of the ratio. */
export function Shape({ ratio }: { ratio: string }) {
  const [, width = 1, height = 1] = /^(\d+):(\d+)$/.exec(ratio)?.map(Number) ?? []
  if (!ratio.includes(':')) return null
  const scale = ICON_PX / Math.max(width, height)
  return (
    <span
      aria-hidden="true"
      className="rounded-[2px] border-[1.5px] border-current opacity-70"
      style={{ width: Math.max(5, width * scale), height: Math.max(5, height * scale) }}
    />
  )
}
