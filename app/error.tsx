'use client'

import { Notice, NoticeButton } from '@/components/shell/notice'
import { Sentence } from '@/components/ui/sentence'
import { t } from '@/lib/i18n/t'

type ErrorPageProps = { error: Error & { digest?: string }; reset: () => void }

export default function ErrorPage({ error, reset }: ErrorPageProps) {
  return (
    <Notice title={t('Something went wrong.')}>
      <p className="max-w-110 text-14 text-ink-2">
        <Sentence
          text={t('Your chats are safe. If the error happens again, report this code: <code/>')}
          parts={{
            code: () => (
              <span dir="ltr" className="font-mono text-12">
                {error.digest ?? error.message}
              </span>
            ),
          }}
        />
      </p>
      <NoticeButton onClick={reset}>{t('Reload')}</NoticeButton>
    </Notice>
  )
}
