import { ready, titled } from '@/app/page-language'
import { Notice } from '@/components/shell/notice'
import { msg, t } from '@/lib/i18n/t'

export const generateMetadata = titled(msg('Offline'), { robots: { index: false } })

export default async function OfflinePage() {
  await ready()
  return (
    <Notice title={t('This page is not available offline.')}>
      <p className="max-w-100 text-14 text-ink-2">{t('You can still read your chats.')}</p>
      <a className="text-14 text-accent underline underline-offset-4" href="/">
        {t('Go to chats')}
      </a>
    </Notice>
  )
}
