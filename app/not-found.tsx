import { ready, titled } from '@/app/page-language'
import { Notice } from '@/components/shell/notice'
import { msg, t } from '@/lib/i18n/t'

export const generateMetadata = titled(msg('Not found'))

export default async function NotFound() {
  await ready()
  return (
    <Notice title={t('Page not found.')}>
      <a href="/" className="text-accent underline underline-offset-4">
        {t('Start new chat')}
      </a>
    </Notice>
  )
}
