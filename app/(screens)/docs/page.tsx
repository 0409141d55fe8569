import type { Metadata } from 'next'
import { ready } from '@/app/ready'
import { Article } from '@/components/docs/article'
import { Overview } from '@/components/docs/overview'
import { DOCS } from '@/lib/endpoints/docs/addresses'
import { t } from '@/lib/i18n/t'
import { config } from '@/lib/kernel/config'

export async function generateMetadata(): Promise<Metadata> {
  await ready()
  return { title: t('Documentation') }
}

/** Where the documentation begins: a first call, and the way to everything else. */
export default async function DocsPage() {
  await ready()
  return (
    <Article
      href={DOCS}
      title="Documentation"
      lead={`${config().serviceName} takes what OpenAI clients send. Change the base URL, bring a key or a wallet, and pay for what you use.`}
      headings={[]}
    >
      <Overview />
    </Article>
  )
}
