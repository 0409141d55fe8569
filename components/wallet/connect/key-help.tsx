import { ArrowLeft } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { Sentence } from '@/components/ui/sentence'
import { t } from '@/lib/i18n/t'

const KEY_HEADER = 'Authorization: Bearer <API key>'
const KEY_PATH = '/api/v1/api_keys/generate_web3_key'

/** Where keys belong: not here. */
export function KeyHelp({ onBack }: { onBack: () => void }) {
  return (
    <>
      <p className="mt-1 text-ink-2">
        {t(
          'Apps send an API key with every request. On this site your wallet is your key: there is no secret to paste or lose.',
        )}
      </p>
      <pre
        dir="ltr"
        className="thin-scroll mt-3 overflow-x-auto rounded-card border border-line bg-sunken px-4 py-3 font-mono text-12"
      >
        {KEY_HEADER}
      </pre>
      <p className="mt-3 text-ink-2">
        <Sentence
          text="Sign in to create keys under API keys. Apps can create one too: an app requests a message from <path/>, signs it with your wallet and receives a key that spends the wallet’s credit."
          parts={{
            path: () => (
              <code dir="ltr" className="font-mono text-12 wrap-anywhere">
                {KEY_PATH}
              </code>
            ),
          }}
        />
      </p>
      <Button kind="plain" className="-ms-3 mt-4" onClick={onBack}>
        <ArrowLeft aria-hidden="true" className="size-[18px] rtl:-scale-x-100" strokeWidth={1.5} />
        {t('Back')}
      </Button>
    </>
  )
}
