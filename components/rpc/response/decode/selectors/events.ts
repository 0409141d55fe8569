/** Events that contracts have in common. Two may share a topic and differ in what is indexed: the log tells which it is. */
export const EVENTS: Readonly<Record<string, string>> = {
  'ERC-20': `
    Transfer(address indexed from, address indexed to, uint256 amount)
    Approval(address indexed owner, address indexed spender, uint256 amount)
    Mint(address indexed minter, address indexed to, uint256 amount)
    Burn(address indexed burner, uint256 amount)
    Mint(address indexed to, uint256 amount)
    Blacklisted(address indexed account)
    UnBlacklisted(address indexed account)
  `,
  'ERC-721': `
    Transfer(address indexed from, address indexed to, uint256 indexed tokenId)
    Approval(address indexed owner, address indexed approved, uint256 indexed tokenId)
    ApprovalForAll(address indexed owner, address indexed operator, bool isApproved)
    MetadataUpdate(uint256 tokenId)
    BatchMetadataUpdate(uint256 fromTokenId, uint256 toTokenId)
    ConsecutiveTransfer(uint256 indexed fromTokenId, uint256 toTokenId, address indexed from, address indexed to)
  `,
  'ERC-1155': `
    TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 amount)
    TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] amounts)
    URI(string value, uint256 indexed id)
  `,
  'ERC-3009': `
    AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)
    AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)
  `,
  'ERC-4626': `
    Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)
    Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)
  `,
  'ERC-5267': `
    EIP712DomainChanged()
  `,
  'Wrapped Ether': `
    Deposit(address indexed to, uint256 amount)
    Withdrawal(address indexed from, uint256 amount)
  `,
  Ownable: `
    OwnershipTransferred(address indexed previousOwner, address indexed newOwner)
    OwnershipTransferStarted(address indexed previousOwner, address indexed newOwner)
    Paused(address account)
    Unpaused(address account)
    Initialized(uint8 version)
    Initialized(uint64 version)
  `,
  AccessControl: `
    RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)
    RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender)
    RoleAdminChanged(bytes32 indexed role, bytes32 indexed previousAdminRole, bytes32 indexed newAdminRole)
  `,
  Proxy: `
    Upgraded(address indexed implementation)
    AdminChanged(address previousAdmin, address newAdmin)
    BeaconUpgraded(address indexed beacon)
    DiamondCut((address facetAddress, uint8 action, bytes4[] functionSelectors)[] cuts, address init, bytes data)
    ProxyCreation(address indexed proxy, address singleton)
    ProxyCreation(address proxy, address singleton)
  `,
  'Uniswap V2': `
    Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)
    Sync(uint112 reserve0, uint112 reserve1)
    Mint(address indexed sender, uint256 amount0, uint256 amount1)
    Burn(address indexed sender, uint256 amount0, uint256 amount1, address indexed to)
    PairCreated(address indexed token0, address indexed token1, address pair, uint256 count)
    Sync(uint256 reserve0, uint256 reserve1)
  `,
  'Uniswap V3': `
    Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)
    Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 liquidity, uint256 amount0, uint256 amount1)
    Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 liquidity, uint256 amount0, uint256 amount1)
    Collect(address indexed owner, address recipient, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount0, uint128 amount1)
    Collect(uint256 indexed tokenId, address recipient, uint256 amount0, uint256 amount1)
    Flash(address indexed sender, address indexed recipient, uint256 amount0, uint256 amount1, uint256 paid0, uint256 paid1)
    Initialize(uint160 sqrtPriceX96, int24 tick)
    PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)
    IncreaseLiquidity(uint256 indexed tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)
    DecreaseLiquidity(uint256 indexed tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)
    IncreaseObservationCardinalityNext(uint16 observationCardinalityNextOld, uint16 observationCardinalityNextNew)
  `,
  'PancakeSwap V3': `
    Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint128 protocolFeesToken0, uint128 protocolFeesToken1)
  `,
  'Uniswap V4': `
    Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)
    Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, uint24 fee, int24 tickSpacing, address hooks, uint160 sqrtPriceX96, int24 tick)
    ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 tickLower, int24 tickUpper, int256 liquidityDelta, bytes32 salt)
  `,
  Permit2: `
    Approval(address indexed owner, address indexed token, address indexed spender, uint160 amount, uint48 expiration)
    Permit(address indexed owner, address indexed token, address indexed spender, uint160 amount, uint48 expiration, uint48 nonce)
    Lockdown(address indexed owner, address token, address spender)
    NonceInvalidation(address indexed owner, address indexed token, address indexed spender, uint48 newNonce, uint48 oldNonce)
    UnorderedNonceInvalidation(address indexed owner, uint256 word, uint256 mask)
  `,
  Safe: `
    ExecutionSuccess(bytes32 indexed txHash, uint256 payment)
    ExecutionSuccess(bytes32 txHash, uint256 payment)
    ExecutionFailure(bytes32 indexed txHash, uint256 payment)
    ExecutionFromModuleSuccess(address indexed module)
    ExecutionFromModuleFailure(address indexed module)
    SafeReceived(address indexed sender, uint256 value)
    SafeSetup(address indexed initiator, address[] owners, uint256 threshold, address initializer, address fallbackHandler)
    AddedOwner(address indexed owner)
    AddedOwner(address owner)
    RemovedOwner(address indexed owner)
    RemovedOwner(address owner)
    ChangedThreshold(uint256 threshold)
    EnabledModule(address indexed module)
    DisabledModule(address indexed module)
    ApproveHash(bytes32 indexed approvedHash, address indexed owner)
  `,
  'ERC-4337': `
    UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)
    UserOperationRevertReason(bytes32 indexed userOpHash, address indexed sender, uint256 nonce, bytes revertReason)
    UserOperationPrefundTooLow(bytes32 indexed userOpHash, address indexed sender, uint256 nonce)
    PostOpRevertReason(bytes32 indexed userOpHash, address indexed sender, uint256 nonce, bytes revertReason)
    AccountDeployed(bytes32 indexed userOpHash, address indexed sender, address factory, address paymaster)
    BeforeExecution()
    Deposited(address indexed account, uint256 totalDeposit)
    Withdrawn(address indexed account, address withdrawAddress, uint256 amount)
    StakeLocked(address indexed account, uint256 totalStaked, uint256 unstakeDelaySec)
    StakeUnlocked(address indexed account, uint256 withdrawTime)
    StakeWithdrawn(address indexed account, address withdrawAddress, uint256 amount)
    SignatureAggregatorChanged(address indexed aggregator)
  `,
  'Smart account': `
    ModuleInstalled(uint256 moduleTypeId, address module)
    ModuleUninstalled(uint256 moduleTypeId, address module)
  `,
  ENS: `
    NewOwner(bytes32 indexed node, bytes32 indexed label, address owner)
    NewResolver(bytes32 indexed node, address resolver)
    NewTTL(bytes32 indexed node, uint64 ttl)
    Transfer(bytes32 indexed node, address owner)
    AddrChanged(bytes32 indexed node, address account)
    AddressChanged(bytes32 indexed node, uint256 coinType, bytes newAddress)
    NameChanged(bytes32 indexed node, string name)
    TextChanged(bytes32 indexed node, string indexed indexedKey, string key, string value)
    ContenthashChanged(bytes32 indexed node, bytes hash)
    NameRegistered(string name, bytes32 indexed label, address indexed owner, uint256 baseCost, uint256 premium, uint256 expires)
    NameRenewed(string name, bytes32 indexed label, uint256 cost, uint256 expires)
    NameWrapped(bytes32 indexed node, bytes name, address owner, uint32 fuses, uint64 expiry)
    ReverseClaimed(address indexed account, bytes32 indexed node)
  `,
  Chainlink: `
    AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt)
    NewRound(uint256 indexed roundId, address indexed startedBy, uint256 startedAt)
  `,
  'Aave V3': `
    Supply(address indexed reserve, address user, address indexed onBehalfOf, uint256 amount, uint16 indexed referralCode)
    Withdraw(address indexed reserve, address indexed user, address indexed to, uint256 amount)
    Borrow(address indexed reserve, address user, address indexed onBehalfOf, uint256 amount, uint8 interestRateMode, uint256 borrowRate, uint16 indexed referralCode)
    Repay(address indexed reserve, address indexed user, address indexed repayer, uint256 amount, bool useATokens)
    LiquidationCall(address indexed collateralAsset, address indexed debtAsset, address indexed user, uint256 debtToCover, uint256 liquidatedCollateralAmount, address liquidator, bool receiveAToken)
    FlashLoan(address indexed target, address initiator, address indexed asset, uint256 amount, uint8 interestRateMode, uint256 premium, uint16 indexed referralCode)
    ReserveDataUpdated(address indexed reserve, uint256 liquidityRate, uint256 stableBorrowRate, uint256 variableBorrowRate, uint256 liquidityIndex, uint256 variableBorrowIndex)
    ReserveUsedAsCollateralEnabled(address indexed reserve, address indexed user)
    ReserveUsedAsCollateralDisabled(address indexed reserve, address indexed user)
    Mint(address indexed caller, address indexed onBehalfOf, uint256 amount, uint256 balanceIncrease, uint256 index)
    Burn(address indexed from, address indexed target, uint256 amount, uint256 balanceIncrease, uint256 index)
    BalanceTransfer(address indexed from, address indexed to, uint256 amount, uint256 index)
  `,
  Compound: `
    AccrueInterest(uint256 cashPrior, uint256 interestAccumulated, uint256 borrowIndex, uint256 totalBorrows)
    Supply(address indexed from, address indexed to, uint256 amount)
    Withdraw(address indexed from, address indexed to, uint256 amount)
    SupplyCollateral(address indexed from, address indexed to, address indexed asset, uint256 amount)
  `,
  Curve: `
    TokenExchange(address indexed buyer, int128 soldId, uint256 tokensSold, int128 boughtId, uint256 tokensBought)
    TokenExchange(address indexed buyer, uint256 soldId, uint256 tokensSold, uint256 boughtId, uint256 tokensBought)
  `,
  Balancer: `
    Swap(bytes32 indexed poolId, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut)
    PoolBalanceChanged(bytes32 indexed poolId, address indexed liquidityProvider, address[] tokens, int256[] deltas, uint256[] protocolFeeAmounts)
  `,
  Seaport: `
    OrderFulfilled(bytes32 orderHash, address indexed offerer, address indexed zone, address recipient, (uint8 itemType, address token, uint256 identifier, uint256 amount)[] offer, (uint8 itemType, address token, uint256 identifier, uint256 amount, address recipient)[] consideration)
    OrderCancelled(bytes32 orderHash, address indexed offerer, address indexed zone)
    OrdersMatched(bytes32[] orderHashes)
    CounterIncremented(uint256 newCounter, address indexed offerer)
  `,
  CCTP: `
    DepositForBurn(uint64 indexed nonce, address indexed burnToken, uint256 amount, address indexed depositor, bytes32 mintRecipient, uint32 destinationDomain, bytes32 destinationTokenMessenger, bytes32 destinationCaller)
    DepositForBurn(address indexed burnToken, uint256 amount, address indexed depositor, bytes32 mintRecipient, uint32 destinationDomain, bytes32 destinationTokenMessenger, bytes32 destinationCaller, uint256 maxFee, uint32 indexed minFinalityThreshold, bytes hookData)
    MintAndWithdraw(address indexed mintRecipient, uint256 amount, address indexed mintToken)
    MintAndWithdraw(address indexed mintRecipient, uint256 amount, address indexed mintToken, uint256 feeCollected)
    MessageSent(bytes message)
    MessageReceived(address indexed caller, uint32 sourceDomain, uint64 indexed nonce, bytes32 sender, bytes messageBody)
  `,
  'OP Stack': `
    TransactionDeposited(address indexed from, address indexed to, uint256 indexed version, bytes opaqueData)
    MessagePassed(uint256 indexed nonce, address indexed sender, address indexed target, uint256 value, uint256 gasLimit, bytes data, bytes32 withdrawalHash)
    SentMessage(address indexed target, address sender, bytes message, uint256 messageNonce, uint256 gasLimit)
    RelayedMessage(bytes32 indexed msgHash)
    FailedRelayedMessage(bytes32 indexed msgHash)
    ETHBridgeInitiated(address indexed from, address indexed to, uint256 amount, bytes extraData)
    ETHBridgeFinalized(address indexed from, address indexed to, uint256 amount, bytes extraData)
    ERC20BridgeInitiated(address indexed localToken, address indexed remoteToken, address indexed from, address to, uint256 amount, bytes extraData)
    WithdrawalProven(bytes32 indexed withdrawalHash, address indexed from, address indexed to)
    WithdrawalFinalized(bytes32 indexed withdrawalHash, bool success)
  `,
  Bridge: `
    V3FundsDeposited(address inputToken, address outputToken, uint256 inputAmount, uint256 outputAmount, uint256 indexed destinationChainId, uint32 indexed depositId, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityDeadline, address indexed depositor, address recipient, address exclusiveRelayer, bytes message)
    OFTSent(bytes32 indexed guid, uint32 dstEid, address indexed from, uint256 amountSentLD, uint256 amountReceivedLD)
    OFTReceived(bytes32 indexed guid, uint32 srcEid, address indexed to, uint256 amountReceivedLD)
    MessageSent(address indexed from, address indexed to, uint256 fee, uint256 value, uint256 nonce, bytes data, bytes32 indexed messageHash)
    L1MessageSent(address indexed sender, bytes32 indexed hash, bytes message)
  `,
  Polygon: `
    LogTransfer(address indexed token, address indexed from, address indexed to, uint256 amount, uint256 input1, uint256 input2, uint256 output1, uint256 output2)
    LogFeeTransfer(address indexed token, address indexed from, address indexed to, uint256 amount, uint256 input1, uint256 input2, uint256 output1, uint256 output2)
    StateSynced(uint256 indexed id, address indexed contractAddress, bytes data)
  `,
  Governance: `
    DelegateChanged(address indexed delegator, address indexed fromDelegate, address indexed toDelegate)
    DelegateVotesChanged(address indexed delegate, uint256 previousVotes, uint256 newVotes)
    ProposalCreated(uint256 proposalId, address proposer, address[] targets, uint256[] values, string[] signatures, bytes[] calldatas, uint256 voteStart, uint256 voteEnd, string description)
    VoteCast(address indexed voter, uint256 proposalId, uint8 support, uint256 weight, string reason)
    ProposalExecuted(uint256 proposalId)
    ProposalQueued(uint256 proposalId, uint256 etaSeconds)
    CallScheduled(bytes32 indexed id, uint256 indexed index, address target, uint256 value, bytes data, bytes32 predecessor, uint256 delay)
    CallExecuted(bytes32 indexed id, uint256 indexed index, address target, uint256 value, bytes data)
  `,
  Staking: `
    Staked(address indexed staker, uint256 amount)
    UnstakeStarted(address indexed staker, uint256 amount, uint256 availableAt)
    Withdrawn(address indexed staker, uint256 amount)
    RewardPaid(address indexed staker, uint256 amount)
    RewardAdded(uint256 amount)
    Submitted(address indexed sender, uint256 amount, address referral)
    TransferShares(address indexed from, address indexed to, uint256 shares)
    DepositEvent(bytes pubkey, bytes withdrawalCredentials, bytes amount, bytes signature, bytes index)
  `,
}
