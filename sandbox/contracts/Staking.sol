// SPDX-License-Identifier: MIT
pragma solidity ^0.8.26;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// Holds staked tokens. `balanceOf` is what daily credit is given for. Unstaked tokens count no more and come back a day
/// later: within one day, the same tokens can stand behind one wallet only.
contract Staking {
    using SafeERC20 for IERC20;

    struct Unstaked {
        uint256 amount;
        uint256 availableAt;
    }

    uint256 public constant COOL_DOWN = 1 days;

    IERC20 public immutable token;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => Unstaked) public unstaked;

    event Staked(address indexed staker, uint256 amount);
    event UnstakeStarted(address indexed staker, uint256 amount, uint256 availableAt);
    event Withdrawn(address indexed staker, uint256 amount);

    constructor(IERC20 token_) {
        token = token_;
    }

    function name() external pure returns (string memory) {
        return "Staked Sandbox Stake";
    }

    function symbol() external pure returns (string memory) {
        return "sSTAKE";
    }

    function decimals() external pure returns (uint8) {
        return 18;
    }

    /// Takes tokens that the caller has approved.
    function stake(uint256 amount) external {
        require(amount > 0, "Staking: nothing to stake");
        balanceOf[msg.sender] += amount;
        totalSupply += amount;
        emit Staked(msg.sender, amount);
        token.safeTransferFrom(msg.sender, address(this), amount);
    }

    /// Starts the cool-down. What cools down already waits for the new end too.
    function unstake(uint256 amount) external {
        require(amount > 0, "Staking: nothing to unstake");
        require(balanceOf[msg.sender] >= amount, "Staking: more than is staked");
        balanceOf[msg.sender] -= amount;
        totalSupply -= amount;
        Unstaked storage waiting = unstaked[msg.sender];
        waiting.amount += amount;
        waiting.availableAt = block.timestamp + COOL_DOWN;
        emit UnstakeStarted(msg.sender, amount, waiting.availableAt);
    }

    /// Gives back what has cooled down.
    function withdraw() external {
        Unstaked memory waiting = unstaked[msg.sender];
        require(waiting.amount > 0, "Staking: nothing to withdraw");
        require(block.timestamp >= waiting.availableAt, "Staking: still cooling down");
        delete unstaked[msg.sender];
        emit Withdrawn(msg.sender, waiting.amount);
        token.safeTransfer(msg.sender, waiting.amount);
    }
}
