import { ArrowLeft } from 'lucide-react'
import { encode } from 'uqr'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { t } from '@/lib/i18n/t'

/** Modules of white around a code: readers want them. */
const QUIET_ZONE = 3

/** A phone cannot open a page that only this computer serves. */
export function isReachableFromPhone(): boolean {
  const { hostname } = window.location
  return hostname !== 'localhost' && hostname !== '[::1]' && !/^127\./.test(hostname)
}

/** This page's address as a code, to open it in the browser of a wallet app. */
export function PhoneHelp({ onBack }: { onBack: () => void }) {
  const url = window.location.origin
  return (
    <>
      <p className="mt-1 text-ink-2">
        {t(
          'Scan the code with your phone and open the link in your wallet app’s browser. You sign in on the phone; this computer keeps its own session.',
        )}
      </p>
      <QrCode text={url} />
      <p className="mt-3 flex items-center justify-center gap-1 font-mono text-12 text-ink-2 wrap-anywhere">
        {url}
        <CopyButton text={url} label={t('Copy address')} />
      </p>
      <Button kind="plain" className="-ms-3 mt-3" onClick={onBack}>
        <ArrowLeft aria-hidden="true" className="size-[18px] rtl:-scale-x-100" strokeWidth={1.5} />
        {t('Back')}
      </Button>
    </>
  )
}

function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET_ZONE })
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return (
    // Dark on white in both themes: many readers do not read the opposite.
    <svg
      role="img"
      aria-label={t('QR code for {text}', { text })}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="mx-auto mt-4 size-52 rounded-card border border-line"
    >
      <path d={`M0 0h${size}v${size}H0z`} fill="#fff" />
      <path d={path} fill="#181c23" />
    </svg>
  )
}
