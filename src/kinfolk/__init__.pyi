# The public names and the file of each; `__init__.py` imports a name when it is first used.

from . import anndata, catalogue, datasets, errors, measures, testing
from .blocks import Blocks
from .choosing.estimator import Kinfolk
from .choosing.replicability import replicability
from .choosing.search import search
from .comparison import Comparison, compare, profile, suggest_clusters
from .displays.cluster_numbers import ClusterNumbersDisplay
from .displays.evidence import EvidenceDisplay
from .displays.matched_clusters import MatchedClustersDisplay
from .displays.profiles import ProfilesDisplay
from .displays.relatedness import RelatednessDisplay
from .displays.rows import RowsDisplay
from .displays.scores import ScoresDisplay
from .knowledge import Knowledge, check_knowledge
from .methods.multitask.baselines import PerTask, Pooled
from .methods.multitask.bregman import MBC
from .methods.multitask.discriminative import DMTFCLS, DMTRCLS
from .methods.multitask.feature_instance import MTCFIR
from .methods.multitask.instances_transfer import MTCTKI
from .methods.multitask.joint_spectral import JointSpectral
from .methods.multitask.kernel_bregman import MKC
from .methods.multitask.model_relation import MTCMRL
from .methods.multitask.mtl_gmm import MTLGMM
from .methods.multitask.multitask_spectral import MTSC
from .methods.multitask.self_adapted import SAMTC
from .methods.multitask.self_taught import STC
from .methods.multitask.shared_covariance import SharedCovarianceMixture
from .methods.multitask.shared_subspace import LSSMTC
from .methods.multitask.transfer_spectral import TSC
from .methods.multiview.collaborative_fuzzy import CoFKM
from .methods.multiview.concept_collaboration import CoMVCF
from .methods.multiview.consensus_subspace import CoMSC
from .methods.multiview.coregularized_spectral import CoregularizedSpectral
from .methods.multiview.cotrained_spectral import CotrainedSpectral
from .methods.multiview.hidden_view import MVCoVH
from .methods.multiview.joined_kmeans import JoinedKMeans
from .methods.multiview.joint_nonnegative import MultiNMF
from .methods.multiview.neighborhood_average import NEMO
from .methods.multiview.pseudo_labels import PLCMF
from .methods.multiview.similarity_fusion import SNF
from .methods.multiview.structured_concepts import MVCF
from .methods.multiview.unified_subspace import COMVSC
from .methods.single.concept import ConceptFactorization
from .methods.single.entropy import MEC
from .methods.single.laplacian_rank import CLR
from .methods.single.normalized_cut import NCut
from .methods.single.principal import PCAKMeans
from .methods.single.soft_kmeans import SoftKMeans
from .methods.single.subspace_iteration import ASI
from .methods.single.symmetric import SymNMF
from .methods.single.tied_mixture import TiedGaussianMixture
from .methods.transfer.coclustering import CoCC
from .methods.transfer.entropy_transfer import KTMEC
from .methods.transfer.harmonic_fields import GFHF
from .methods.transfer.linear_svm import LinearSVM
from .methods.transfer.local_global import LLGC
from .methods.transfer.shared_subspace import LSSTTC
from .methods.transfer.spectral_classes import CDSC
from .methods.transfer.transductive_svm import TSVM
from .models.model import Model
from .models.storage import load, save
from .preparation import Preparation
from .running import progress
from .sources import read
from .sources.describe import describe
from .tables import RelatedData, by_task, join, stack

__all__ = [
    "ASI",
    "Blocks",
    "CDSC",
    "CLR",
    "DMTFCLS",
    "DMTRCLS",
    "GFHF",
    "KTMEC",
    "Kinfolk",
    "Knowledge",
    "LLGC",
    "LSSMTC",
    "LSSTTC",
    "MBC",
    "MEC",
    "MKC",
    "MTCFIR",
    "MTCMRL",
    "MTCTKI",
    "MTLGMM",
    "MTSC",
    "SAMTC",
    "SNF",
    "STC",
    "TSC",
    "TSVM",
    "CoCC",
    "COMVSC",
    "CoMSC",
    "MVCF",
    "MVCoVH",
    "PLCMF",
    "MultiNMF",
    "CoFKM",
    "CoMVCF",
    "CoregularizedSpectral",
    "CotrainedSpectral",
    "Comparison",
    "ConceptFactorization",
    "JoinedKMeans",
    "JointSpectral",
    "LinearSVM",
    "Model",
    "NCut",
    "NEMO",
    "PCAKMeans",
    "PerTask",
    "Pooled",
    "Preparation",
    "RelatedData",
    "SharedCovarianceMixture",
    "SoftKMeans",
    "SymNMF",
    "TiedGaussianMixture",
    "anndata",
    "by_task",
    "catalogue",
    "check_knowledge",
    "compare",
    "datasets",
    "describe",
    "errors",
    "join",
    "load",
    "measures",
    "profile",
    "progress",
    "read",
    "replicability",
    "save",
    "search",
    "stack",
    "suggest_clusters",
    "testing",
    "ClusterNumbersDisplay",
    "EvidenceDisplay",
    "MatchedClustersDisplay",
    "ProfilesDisplay",
    "RelatednessDisplay",
    "RowsDisplay",
    "ScoresDisplay",
]

__version__: str
