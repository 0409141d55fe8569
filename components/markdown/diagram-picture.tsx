import type { Drawing } from '@/components/markdown/diagrams/draw'
import { t } from '@/lib/i18n/t'

type DiagramPictureProps = { drawing: Drawing; scale: number; className: string }

export function DiagramPicture({ drawing, scale, className }: DiagramPictureProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div
      role="group"
      aria-label={t('Diagram')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
      tabIndex={0}
      className={`thin-scroll flex overflow-auto p-4 ${className}`}
    >
      {/* biome-ignore lint/performance/noImgElement: it was drawn here */}
      <img
        src={drawing.address}
        alt={drawing.words}
        width={drawing.width}
        height={drawing.height}
        className="m-auto h-auto max-w-none shrink-0"
        style={{ width: scale === 1 ? `min(100%, ${drawing.width}px)` : drawing.width * scale }}
      />
    </div>
  )
}
