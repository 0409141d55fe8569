'use client'

import { ChevronLeft, ChevronRight, X, ZoomIn, ZoomOut } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import Lightbox from 'yet-another-react-lightbox'
import Zoom from 'yet-another-react-lightbox/plugins/zoom'
import { t } from '@/lib/i18n/t'
import 'yet-another-react-lightbox/styles.css'

type ImageLightboxProps = {
  slides: { id: string; src: string; alt: string }[]
  openedId: string
  onClose: () => void
  actions?: (id: string) => ReactNode
}

const PLUGINS = [Zoom]
const MAX_ZOOM = 4

const ARROW = { background: 'rgb(0 0 0 / 0.45)', borderRadius: 8, padding: '20px 8px', margin: '0 8px' }

export function ImageLightbox({ slides, openedId, onClose, actions }: ImageLightboxProps) {
  const [shownId, setShownId] = useState(openedId)
  const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches
  return (
    <Lightbox
      open
      close={onClose}
      index={Math.max(
        0,
        slides.findIndex(({ id }) => id === openedId),
      )}
      slides={slides}
      plugins={PLUGINS}
      carousel={{ finite: true }}
      controller={{ closeOnBackdropClick: true }}
      on={{ view: ({ index }) => setShownId(slides[index]?.id ?? openedId) }}
      {...(actions && { toolbar: { buttons: [<span key="actions">{actions(shownId)}</span>, 'close'] } })}
      animation={isStill ? { fade: 0, swipe: 0, zoom: 0 } : { fade: 160, swipe: 220 }}
      zoom={{ maxZoomPixelRatio: MAX_ZOOM }}
      styles={{ navigationPrev: ARROW, navigationNext: ARROW }}
      labels={{
        Lightbox: t('Images'),
        'Photo gallery': t('Images'),
        Slide: t('Slide'),
        Carousel: t('Carousel'),
        '{index} of {total}': t('{index} of {total}', { index: '{index}', total: '{total}' }),
        Close: t('Close'),
        Next: t('Next image'),
        Previous: t('Previous image'),
        'Zoom in': t('Zoom in'),
        'Zoom out': t('Zoom out'),
      }}
      render={{
        iconClose: () => <X aria-hidden="true" />,
        iconNext: () => <ChevronRight aria-hidden="true" className="rtl:-scale-x-100" />,
        iconPrev: () => <ChevronLeft aria-hidden="true" className="rtl:-scale-x-100" />,
        iconZoomIn: () => <ZoomIn aria-hidden="true" />,
        iconZoomOut: () => <ZoomOut aria-hidden="true" />,
        ...(slides.length < 2 && { buttonPrev: () => null, buttonNext: () => null }),
      }}
    />
  )
}
