import { ArrowLeft } from 'lucide-react'
import { Button } from '@/components/ui/button'

/** Where keys belong: not here. */
export function KeyHelp({ onBack }: { onBack: () => void }) {
  return (
    <>
      <p className="mt-1 text-ink-2">
        A program sends its key with every request. This page takes none: your wallet is your key here, and there is no
        secret to paste or to lose.
      </p>
      <pre
        dir="ltr"
        className="thin-scroll mt-3 overflow-x-auto rounded-card border border-line bg-sunken px-4 py-3 font-mono text-12"
      >
        Authorization: Bearer &lt;API key&gt;
      </pre>
      <p className="mt-3 text-ink-2">
        Who runs this service makes keys. A wallet can also make one for itself: a program asks{' '}
        <code className="font-mono text-12 wrap-anywhere">/api/v1/api_keys/generate_web3_key</code> for a text, signs it
        and gets a key that spends the wallet’s own credit.
      </p>
      <Button kind="plain" className="-ms-3 mt-4" onClick={onBack}>
        <ArrowLeft aria-hidden="true" className="size-[18px] rtl:-scale-x-100" strokeWidth={1.5} />
        Back
      </Button>
    </>
  )
}
