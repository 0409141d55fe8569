// Made from the folders of app/api by `node scripts/run.mjs generate routes`.
import * as route0 from '@/app/api/admin/models/route'
import * as route1 from '@/app/api/admin/models/default/route'
import * as route2 from '@/app/api/admin/models/downloads/route'
import * as route3 from '@/app/api/admin/models/downloads/[id]/route'
import * as route4 from '@/app/api/admin/models/[id]/route'
import * as route5 from '@/app/api/admin/providers/route'
import * as route6 from '@/app/api/admin/providers/found/route'
import * as route7 from '@/app/api/admin/providers/models/route'
import * as route8 from '@/app/api/admin/providers/word/route'
import * as route9 from '@/app/api/admin/providers/[name]/route'
import * as route10 from '@/app/api/admin/session/route'
import * as route11 from '@/app/api/assists/route'
import * as route12 from '@/app/api/chain/[family]/route'
import * as route13 from '@/app/api/characters/route'
import * as route14 from '@/app/api/characters/import/route'
import * as route15 from '@/app/api/characters/mine/route'
import * as route16 from '@/app/api/characters/[slug]/route'
import * as route17 from '@/app/api/characters/[slug]/export/route'
import * as route18 from '@/app/api/characters/[slug]/opening/route'
import * as route19 from '@/app/api/characters/[slug]/portrait/route'
import * as route20 from '@/app/api/characters/[slug]/profile/route'
import * as route21 from '@/app/api/characters/[slug]/review/route'
import * as route22 from '@/app/api/charges/[requestId]/route'
import * as route23 from '@/app/api/docs/search/route'
import * as route24 from '@/app/api/downloads/[token]/route'
import * as route25 from '@/app/api/queue-positions/[requestId]/route'
import * as route26 from '@/app/api/rpc/matrix/route'
import * as route27 from '@/app/api/rpc/networks/route'
import * as route28 from '@/app/api/sandbox/ether/route'
import * as route29 from '@/app/api/sandbox/faucet/route'
import * as route30 from '@/app/api/session/route'
import * as route31 from '@/app/api/session/challenge/route'
import * as route32 from '@/app/api/sessions/route'
import * as route33 from '@/app/api/sessions/[id]/route'
import * as route34 from '@/app/api/shares/route'
import * as route35 from '@/app/api/shares/[id]/route'
import * as route36 from '@/app/api/usage/route'
import * as route37 from '@/app/api/usage/usage.csv/route'
import * as route38 from '@/app/api/v1/api_keys/route'
import * as route39 from '@/app/api/v1/api_keys/generate_web3_key/route'
import * as route40 from '@/app/api/v1/api_keys/rate_limits/route'
import * as route41 from '@/app/api/v1/api_keys/rate_limits/log/route'
import * as route42 from '@/app/api/v1/api_keys/[id]/route'
import * as route43 from '@/app/api/v1/audio/complete/route'
import * as route44 from '@/app/api/v1/audio/queue/route'
import * as route45 from '@/app/api/v1/audio/quote/route'
import * as route46 from '@/app/api/v1/audio/retrieve/route'
import * as route47 from '@/app/api/v1/audio/speech/route'
import * as route48 from '@/app/api/v1/audio/transcriptions/route'
import * as route49 from '@/app/api/v1/audio/voices/route'
import * as route50 from '@/app/api/v1/augment/scrape/route'
import * as route51 from '@/app/api/v1/augment/search/route'
import * as route52 from '@/app/api/v1/augment/text-parser/route'
import * as route53 from '@/app/api/v1/billing/balance/route'
import * as route54 from '@/app/api/v1/billing/usage/route'
import * as route55 from '@/app/api/v1/billing/usage-analytics/route'
import * as route56 from '@/app/api/v1/billing/usage-history/route'
import * as route57 from '@/app/api/v1/characters/route'
import * as route58 from '@/app/api/v1/characters/[slug]/route'
import * as route59 from '@/app/api/v1/characters/[slug]/reviews/route'
import * as route60 from '@/app/api/v1/chat/completions/route'
import * as route61 from '@/app/api/v1/crypto/rpc/networks/route'
import * as route62 from '@/app/api/v1/crypto/rpc/[network]/route'
import * as route63 from '@/app/api/v1/embeddings/route'
import * as route64 from '@/app/api/v1/image/background-remove/route'
import * as route65 from '@/app/api/v1/image/edit/route'
import * as route66 from '@/app/api/v1/image/generate/route'
import * as route67 from '@/app/api/v1/image/multi-edit/route'
import * as route68 from '@/app/api/v1/image/styles/route'
import * as route69 from '@/app/api/v1/image/upscale/route'
import * as route70 from '@/app/api/v1/images/generations/route'
import * as route71 from '@/app/api/v1/models/route'
import * as route72 from '@/app/api/v1/models/compatibility_mapping/route'
import * as route73 from '@/app/api/v1/models/traits/route'
import * as route74 from '@/app/api/v1/models/[...id]/route'
import * as route75 from '@/app/api/v1/responses/route'
import * as route76 from '@/app/api/v1/video/complete/route'
import * as route77 from '@/app/api/v1/video/queue/route'
import * as route78 from '@/app/api/v1/video/quote/route'
import * as route79 from '@/app/api/v1/video/retrieve/route'
import * as route80 from '@/app/api/v1/video/transcriptions/route'
import * as route81 from '@/app/api/v1/x402/balance/[walletAddress]/route'
import * as route82 from '@/app/api/v1/x402/top-up/route'
import * as route83 from '@/app/api/v1/x402/transactions/[walletAddress]/route'
import * as route84 from '@/app/api/v1/[...path]/route'
import * as route85 from '@/app/api/wallet/route'
import * as route86 from '@/app/api/wallet/transactions.csv/route'

/** Every handler of the API, for the server in front of Next. */
export const routes = [
  { pattern: ['api', 'admin', 'models'], module: route0 },
  { pattern: ['api', 'admin', 'models', 'default'], module: route1 },
  { pattern: ['api', 'admin', 'models', 'downloads'], module: route2 },
  { pattern: ['api', 'admin', 'models', 'downloads', '[id]'], module: route3 },
  { pattern: ['api', 'admin', 'models', '[id]'], module: route4 },
  { pattern: ['api', 'admin', 'providers'], module: route5 },
  { pattern: ['api', 'admin', 'providers', 'found'], module: route6 },
  { pattern: ['api', 'admin', 'providers', 'models'], module: route7 },
  { pattern: ['api', 'admin', 'providers', 'word'], module: route8 },
  { pattern: ['api', 'admin', 'providers', '[name]'], module: route9 },
  { pattern: ['api', 'admin', 'session'], module: route10 },
  { pattern: ['api', 'assists'], module: route11 },
  { pattern: ['api', 'chain', '[family]'], module: route12 },
  { pattern: ['api', 'characters'], module: route13 },
  { pattern: ['api', 'characters', 'import'], module: route14 },
  { pattern: ['api', 'characters', 'mine'], module: route15 },
  { pattern: ['api', 'characters', '[slug]'], module: route16 },
  { pattern: ['api', 'characters', '[slug]', 'export'], module: route17 },
  { pattern: ['api', 'characters', '[slug]', 'opening'], module: route18 },
  { pattern: ['api', 'characters', '[slug]', 'portrait'], module: route19 },
  { pattern: ['api', 'characters', '[slug]', 'profile'], module: route20 },
  { pattern: ['api', 'characters', '[slug]', 'review'], module: route21 },
  { pattern: ['api', 'charges', '[requestId]'], module: route22 },
  { pattern: ['api', 'docs', 'search'], module: route23 },
  { pattern: ['api', 'downloads', '[token]'], module: route24 },
  { pattern: ['api', 'queue-positions', '[requestId]'], module: route25 },
  { pattern: ['api', 'rpc', 'matrix'], module: route26 },
  { pattern: ['api', 'rpc', 'networks'], module: route27 },
  { pattern: ['api', 'sandbox', 'ether'], module: route28 },
  { pattern: ['api', 'sandbox', 'faucet'], module: route29 },
  { pattern: ['api', 'session'], module: route30 },
  { pattern: ['api', 'session', 'challenge'], module: route31 },
  { pattern: ['api', 'sessions'], module: route32 },
  { pattern: ['api', 'sessions', '[id]'], module: route33 },
  { pattern: ['api', 'shares'], module: route34 },
  { pattern: ['api', 'shares', '[id]'], module: route35 },
  { pattern: ['api', 'usage'], module: route36 },
  { pattern: ['api', 'usage', 'usage.csv'], module: route37 },
  { pattern: ['api', 'v1', 'api_keys'], module: route38 },
  { pattern: ['api', 'v1', 'api_keys', 'generate_web3_key'], module: route39 },
  { pattern: ['api', 'v1', 'api_keys', 'rate_limits'], module: route40 },
  { pattern: ['api', 'v1', 'api_keys', 'rate_limits', 'log'], module: route41 },
  { pattern: ['api', 'v1', 'api_keys', '[id]'], module: route42 },
  { pattern: ['api', 'v1', 'audio', 'complete'], module: route43 },
  { pattern: ['api', 'v1', 'audio', 'queue'], module: route44 },
  { pattern: ['api', 'v1', 'audio', 'quote'], module: route45 },
  { pattern: ['api', 'v1', 'audio', 'retrieve'], module: route46 },
  { pattern: ['api', 'v1', 'audio', 'speech'], module: route47 },
  { pattern: ['api', 'v1', 'audio', 'transcriptions'], module: route48 },
  { pattern: ['api', 'v1', 'audio', 'voices'], module: route49 },
  { pattern: ['api', 'v1', 'augment', 'scrape'], module: route50 },
  { pattern: ['api', 'v1', 'augment', 'search'], module: route51 },
  { pattern: ['api', 'v1', 'augment', 'text-parser'], module: route52 },
  { pattern: ['api', 'v1', 'billing', 'balance'], module: route53 },
  { pattern: ['api', 'v1', 'billing', 'usage'], module: route54 },
  { pattern: ['api', 'v1', 'billing', 'usage-analytics'], module: route55 },
  { pattern: ['api', 'v1', 'billing', 'usage-history'], module: route56 },
  { pattern: ['api', 'v1', 'characters'], module: route57 },
  { pattern: ['api', 'v1', 'characters', '[slug]'], module: route58 },
  { pattern: ['api', 'v1', 'characters', '[slug]', 'reviews'], module: route59 },
  { pattern: ['api', 'v1', 'chat', 'completions'], module: route60 },
  { pattern: ['api', 'v1', 'crypto', 'rpc', 'networks'], module: route61 },
  { pattern: ['api', 'v1', 'crypto', 'rpc', '[network]'], module: route62 },
  { pattern: ['api', 'v1', 'embeddings'], module: route63 },
  { pattern: ['api', 'v1', 'image', 'background-remove'], module: route64 },
  { pattern: ['api', 'v1', 'image', 'edit'], module: route65 },
  { pattern: ['api', 'v1', 'image', 'generate'], module: route66 },
  { pattern: ['api', 'v1', 'image', 'multi-edit'], module: route67 },
  { pattern: ['api', 'v1', 'image', 'styles'], module: route68 },
  { pattern: ['api', 'v1', 'image', 'upscale'], module: route69 },
  { pattern: ['api', 'v1', 'images', 'generations'], module: route70 },
  { pattern: ['api', 'v1', 'models'], module: route71 },
  { pattern: ['api', 'v1', 'models', 'compatibility_mapping'], module: route72 },
  { pattern: ['api', 'v1', 'models', 'traits'], module: route73 },
  { pattern: ['api', 'v1', 'models', '[...id]'], module: route74 },
  { pattern: ['api', 'v1', 'responses'], module: route75 },
  { pattern: ['api', 'v1', 'video', 'complete'], module: route76 },
  { pattern: ['api', 'v1', 'video', 'queue'], module: route77 },
  { pattern: ['api', 'v1', 'video', 'quote'], module: route78 },
  { pattern: ['api', 'v1', 'video', 'retrieve'], module: route79 },
  { pattern: ['api', 'v1', 'video', 'transcriptions'], module: route80 },
  { pattern: ['api', 'v1', 'x402', 'balance', '[walletAddress]'], module: route81 },
  { pattern: ['api', 'v1', 'x402', 'top-up'], module: route82 },
  { pattern: ['api', 'v1', 'x402', 'transactions', '[walletAddress]'], module: route83 },
  { pattern: ['api', 'v1', '[...path]'], module: route84 },
  { pattern: ['api', 'wallet'], module: route85 },
  { pattern: ['api', 'wallet', 'transactions.csv'], module: route86 },
]
