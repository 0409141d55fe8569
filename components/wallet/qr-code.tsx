import { useMemo } from 'react'
import { encode } from 'uqr'

const QUIET_ZONE_MODULES = 3

type QrCodeProps = { text: string; label: string; className: string }

export function QrCode({ text, label, className }: QrCodeProps) {
  const { size, path } = useMemo(() => qrPath(text), [text])
  return (
    // Dark on white in both themes: many readers do not read the opposite.
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className={`bg-[#fff] ${className}`}
    >
      <path d={path} fill="#181c23" />
    </svg>
  )
}

function qrPath(text: string): { size: number; path: string } {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET_ZONE_MODULES })
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return { size, path: squares.join('') }
}
