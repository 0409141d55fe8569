import { ABLE, ASSISTED, BLIND, EMBEDDED } from '@/e2e/contract-models'
import { openStage, type Stage } from '@/e2e/contract-stage'
import { type LocalSite, startLocalSite } from '@/e2e/local-site'

export type SiteStage = { stage: Stage; site: LocalSite; key: string; close: () => Promise<void> }

/** The built server with its embedded models and a web of one site, which it may reach and searches with. */
export async function openSiteStage(): Promise<SiteStage> {
  const site = await startLocalSite()
  const variables = {
    EMBEDDED_MODELS: 'lean',
    SEARCH_PROVIDER: 'searxng',
    SEARCH_URL: site.origin,
    EGRESS_ALLOW_ORIGINS: site.origin,
  }
  const models = [ABLE, ASSISTED, BLIND, ...EMBEDDED]
  const stage = await openStage({ failedRequests: { count: 1_000 } }, variables, models).catch(async (error) => {
    await site.close()
    throw error
  })
  const close = async () => {
    await stage.stop()
    await site.close()
  }
  return { stage, site, key: await stage.newKey(), close }
}
