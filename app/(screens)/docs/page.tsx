import { ready, titled } from '@/app/page-language'
import { Article } from '@/components/docs/article'
import { Overview } from '@/components/docs/overview'
import { DOCS } from '@/lib/contract/docs'
import { guides } from '@/lib/endpoints/docs/guides'
import { pagesAround } from '@/lib/endpoints/docs/pages'
import { reference } from '@/lib/endpoints/docs/reference'
import { samplesOf } from '@/lib/endpoints/docs/samples'
import { msg } from '@/lib/i18n/t'
import { config } from '@/lib/kernel/config'

const FIRST = 'createChatCompletion'

export const generateMetadata = titled(msg('Documentation'))

export default async function DocsPage() {
  await ready()
  const { origin, serviceName } = config()
  const { groups } = reference()
  const first = groups.flatMap(({ operations }) => operations).filter(({ id }) => id === FIRST)
  return (
    <Article
      around={pagesAround(DOCS)}
      title="Documentation"
      lead={`${serviceName} takes what OpenAI clients send. Change the base URL, bring a key or a wallet, and pay for what you use.`}
      headings={[]}
    >
      <Overview baseUrl={`${origin}/api/v1`} samples={first.flatMap(samplesOf)} guides={guides()} groups={groups} />
    </Article>
  )
}
